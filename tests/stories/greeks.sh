# All Greeks of first order of an option, for a spreadsheet.
cat > bs.ad <<'END'
S = 100; K = 100; T = 1; r = 0.05; sigma = 0.2
def N(x):
    return 0.5*(1 + erf(x/sqrt(2)))
d1 = (log(S/K) + (r + sigma**2/2)*T)/(sigma*sqrt(T))
C = S*N(d1) - K*exp(-r*T)*N(d1 - sigma*sqrt(T))
END

autodiff grad bs.ad --format csv | awk -F, 'NR > 1 {printf "%s,%.4f\n", $1, $4}'
