# Weights of a small classifier.
printf 'x,y\n0.5,0\n1,0\n1.5,1\n2,0\n2.5,1\n3,1\n' > exam.csv

autodiff minimize -e 'w = 0.1; b = 0; L = binary_cross_entropy_with_logits(w*x + b, y)' --data exam.csv --wrt w,b --method newton |
    awk '{printf "%s %.3f\n", $1, $2}'
