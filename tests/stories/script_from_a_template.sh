# A script with placeholders, filled in by sed.
echo 'x = @X@; L = x**@N@' > template.ad

sed 's/@X@/2/; s/@N@/5/' template.ad | autodiff grad -
