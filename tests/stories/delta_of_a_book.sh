# The delta of a book of trades: each row's own slope times its position, added up.
printf 'id,S,K,n\nA,100,90,10\nB,100,110,-5\n' > book.csv
echo 'S = 1; K = 1; C = S*special.ndtr(log(S/K)/0.2 + 0.1) - K*special.ndtr(log(S/K)/0.2 - 0.1)' > call.ad

autodiff grad call.ad --wrt S --each book.csv --keep --format csv | awk -F, 'NR > 1 {sum += $4*$5} END {printf "%.4f\n", sum}'
