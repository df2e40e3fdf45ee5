"""Reads what Thalweg writes, and tests what it computes."""
