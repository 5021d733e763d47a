# A stream of requests in JSON Lines, answered line by line.
# today: jq -c . rows.jsonl | while read -r l; do autodiff grad f.ad --wrt a,b $(jq -r 'to_entries[] | "--set \(.key)=\(.value)"' <<<"$l") | cut -f2 | paste -s; done
printf '{"a": 1, "b": 0.1, "x": 0.5}\n{"a": 2, "b": 0.3, "x": 1.5}\n' > rows.jsonl

autodiff grad -e 'L = a*exp(-b*x)' --wrt a,b --each rows.jsonl | jq -c '.grad | map_values(.*1000 | round/1000)'
