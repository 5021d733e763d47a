# The half-life of a decay, with an interval of two standard errors.
printf 't,n\n0,1000\n1,789\n2,625\n4,401\n8,155\n' > decay.csv

autodiff minimize -e 'N = 900; k = 0.2; r = N*exp(-k*t) - n' --data decay.csv --wrt N,k |
    awk '$1 == "k" {printf "k from %.3f to %.3f, half-life %.2f\n", $2 - 2*$3, $2 + 2*$3, log(2)/$2}'
