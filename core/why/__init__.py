"""Why a gradient is zero or not finite, and where it is a convention (kinks)."""
