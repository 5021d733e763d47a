# A wrong derivative by hand stops the build.
echo 'w = 3; L = w**2' > a.ad
printf 'test:\n\t@autodiff check a.ad --formula "dL/dw == w" -qq\n' > Makefile

make -s test 2>/dev/null || echo 'the build stops'
