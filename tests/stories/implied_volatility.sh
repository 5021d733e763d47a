# The volatility at which the Black-Scholes price is the one of the market.
cat > call.ad <<'END'
S = 120.0; K = 110.0; r = 0.03; T = 0.5; market = 15.0; s = 0.3
d1 = (log(S/K) + (r + s**2/2)*T)/(s*sqrt(T))
price = S*special.ndtr(d1) - K*exp(-r*T)*special.ndtr(d1 - s*sqrt(T))
miss = (price - market)**2
END

autodiff minimize call.ad --wrt s 2>/dev/null | awk '{printf "%.6f\n", $2}'
