# A derivative by hand has a wrong sign: which term is it?
echo 'a = 3; b = 1; e = (a + b)*(b - 1)' > e.ad

autodiff check e.ad --formula 'de/db == (b - 1) - (a + b)' | grep -E 'wrong|right' | head -n 1
