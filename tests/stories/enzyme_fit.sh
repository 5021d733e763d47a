# The constants of Michaelis and Menten from twelve rates.
# today: python3 -c 'import numpy as np; from scipy.optimize import curve_fit; S,v=np.loadtxt("puromycin.csv",delimiter=",",skiprows=1).T; p,c=curve_fit(lambda S,V,K: V*S/(K+S),S,v,[200,.1]); print(p,np.sqrt(np.diag(c)))'
cat > puromycin.csv <<'END'
S,v
0.02,76
0.02,47
0.06,97
0.06,107
0.11,123
0.11,139
0.22,159
0.22,152
0.56,191
0.56,201
1.1,207
1.1,200
END

autodiff minimize -e 'V = 200; K = 0.1; r = V*S/(K + S) - v' --data puromycin.csv --format table
