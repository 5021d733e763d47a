# How many edges the graph of a formula has, and its most sensitive node.
echo 'a = 3; b = 1; e = (a + b)*(b + 1)' > e.ad

autodiff graph e.ad --format dot | grep -c -e '->'
autodiff graph e.ad --format json | jq -r '[.graph.nodes[] | select(.op == "leaf")] | max_by(.grad | fabs) | .name'
