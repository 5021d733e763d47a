# An editor wants the place of a mistake as JSON.
printf 'A = [[1, 2, 3]]\nB = A @ A\n' > bad.ad

autodiff grad bad.ad --diagnostics json 2>&1 >/dev/null | jq -r '"\(.code) line \(.location.line)"'
