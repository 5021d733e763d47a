# Readings come as JSON from a server; a fit goes back as JSON.
echo '{"readings": [{"t": 0, "v": 1}, {"t": 1, "v": 3}, {"t": 2, "v": 5}, {"t": 3, "v": 7.5}]}' > log.json

jq -c '.readings[]' log.json | autodiff minimize -e 'a = 1; b = 0; r = a*t + b - v' --data - --format json |
    jq -c '[.inputs[] | {(.name): (.value*1000 | round/1000)}] | add'
