# A speed from a distance and a time that are known to some percent.
cat > speed.ad <<'END'
d = 7400; t = 39.5
v = d/t*3.6
END

autodiff propagate speed.ad --sigma d=0.1%,t=1% --format table
