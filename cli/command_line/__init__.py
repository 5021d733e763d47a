"""Reading the command line: options, click, completion, where the script comes from."""
