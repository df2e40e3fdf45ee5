"""Reads what Thalweg writes."""
