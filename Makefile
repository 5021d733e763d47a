PYTHON = .venv/bin/python
SEED := $(shell od -An -N3 -tu4 /dev/urandom)
MORE = 10

# The tests of random examples, with others and more of them. Prints the command that repeats the run.
.PHONY: nightly
nightly:
	AUTODIFF_TEST_SEED=$(strip $(SEED)) AUTODIFF_TEST_MORE=$(MORE) $(PYTHON) -m pytest -q -n auto \
		$(shell grep -rlE --include='test_*.py' '^from seeds import' tests)
