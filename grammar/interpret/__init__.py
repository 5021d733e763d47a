"""Running a syntax tree: names are resolved to slots, statements and expressions become closures."""
