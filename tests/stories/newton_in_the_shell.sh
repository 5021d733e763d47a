# A root by Newton's method, step by step.
# today: x=1.5; for k in 1 2 3 4 5; do x=$(echo "scale=15; $x-($x^3-2)/(3*$x^2)" | bc); done; echo $x

x=1.5
for k in 1 2 3 4 5; do
    x=$(autodiff grad -e 'f = x**3 - 2' --set x=$x --format json | jq '.gradients[0].value - .output.value/.gradients[0].grad')
done
printf '%.10f\n' $x
