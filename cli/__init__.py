"""The command line: what is asked for, what is shown, and with which exit code. Computes nothing."""
