"""What everything stands on: errors as data, places in a source text, limits, modules loaded on first use."""
