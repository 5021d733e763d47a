"""``python -m autodiff.cli`` is the same as ``autodiff``."""

from autodiff.cli.main import main

if __name__ == "__main__":
    main()
