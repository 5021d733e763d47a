# Delta and vega of an option on each of its last seven days.
cat > days.ad <<'END'
S = 210; K = 203; r = 0.02175; vol = 0.1404; day = 1
t = day/252
d1 = (log(S/K) + (r + vol**2/2)*t)/(vol*sqrt(t))
C = S*special.ndtr(d1) - K*exp(-r*t)*special.ndtr(d1 - vol*sqrt(t))
END

autodiff grad days.ad --sweep day=1:7:1 --wrt S,vol | awk '{printf "%d %.6f %.6f\n", $1, $2, $3}'
