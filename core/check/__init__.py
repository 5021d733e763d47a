"""Whether a gradient is right, by ways that do not use the rules it was made with."""
