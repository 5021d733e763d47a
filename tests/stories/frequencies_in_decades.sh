# How the gain of a filter falls, at four decades of frequency.

autodiff grad -e 'f = 1; R = 1e3; C = 1e-7; g = 1/sqrt(1 + (2*pi*f*R*C)**2)' --wrt f --sweep f=log:10:10000:4 --value |
    awk '{printf "%6d Hz %.4f\n", $1, $2}'
