# A straight line through measured points, with its errors, as gnuplot's fit.
# today: gnuplot -e 'f(x)=a*x+b; a=1; b=0; fit f(x) "fit.dat" via a,b' 2>&1 | grep +/-
cat > fit.dat <<'END'
# x  y
1 2.9
2 4.6
3 6.8
4 8.5
5 10.6
END

autodiff minimize -e 'a = 1; b = 0; r = a*x + b - y' --data fit.dat --columns x,y --format markdown
