"""Repairs that are tried before they are proposed, and the errors they complete."""
