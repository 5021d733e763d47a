# More readings than a command line can hold.

seq 40000 | autodiff grad -e 'L = 2*exp(-0.3*x)' --set x=@- --grad-output ones | tr '\t' '\n' | wc -l
