"""The interpreter: resolves names to slots, and compiles statements and expressions to closures."""
