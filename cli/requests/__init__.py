"""From a request to a report: the script is run, the engine is asked."""
