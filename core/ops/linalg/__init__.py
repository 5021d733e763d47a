"""Linear algebra: products, contractions, solving, factorizations, norms."""
