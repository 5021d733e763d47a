# All scripts of a folder are checked by xargs, two at a time.
for n in 1 2 3; do echo "w = $n; L = w**$n" > $n.ad; done

ls *.ad | xargs -n 1 -P 2 autodiff check -qq && echo 'all three are right'
