# The versions for a bug report, on one line.

autodiff version --format json | jq -r 'keys - ["blas", "platform"] | join(" ")'
