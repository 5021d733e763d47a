# The slope of each bond's present value by the interest rate.
# today: python3 -c 'import csv; [print(b["name"], sum(-100*t/(1+float(b["r"]))**(t+1) for t in range(1,4))) for b in csv.DictReader(open("bonds.csv"))]'
printf 'name,r\nA,0.05\nB,0.07\n' > bonds.csv

autodiff grad -e 'r = 0; pv = sum([100/(1 + r)**t for t in range(1, 4)])' --each bonds.csv --keep | awk '{printf "%s %.2f\n", $1, $3}'
