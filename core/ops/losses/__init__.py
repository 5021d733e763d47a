"""Losses, from mean squared error to CTC."""
