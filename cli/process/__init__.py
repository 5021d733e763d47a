"""The process: streams, exit codes, signals, threads, memory."""
