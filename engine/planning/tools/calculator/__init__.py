"""Arithmetic, percentages and units."""
