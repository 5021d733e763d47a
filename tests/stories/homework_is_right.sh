# The whole sheet of answers is right, says the exit code.
echo 'a = 3; b = 1; e = (a + b)*(b + 1)' > e.ad
printf 'de/da == b + 1\nde/db == a + 2*b + 1\n' > sheet.txt

autodiff check e.ad --formula @sheet.txt -qq && echo 'all right'
