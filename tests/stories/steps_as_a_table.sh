# How often each kind of event happens in a run.

autodiff trace -e 'a = 3; b = 1; e = (a + b)*(b + 1)' --format csv | cut -d, -f1 | tail -n +2 | sort | uniq -c | awk '{print $2, $1}'
