# A derivative as a formula that awk can compute.
# today: python3 -c 'from sympy import *; x,K=symbols("x K"); print(diff(x/(K+x),K))' | sed 's/\*\*/^/g'
echo 'x = 2; K = 3; v = x/(K + x)' > mm.ad

formula=$(autodiff explain mm.ad --wrt K --format formula | sed 's/\*\*/^/g')
awk "BEGIN {x = 2; K = 3; print $formula}"; autodiff grad mm.ad --wrt K
