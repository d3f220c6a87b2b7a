"""Dates, times and time zones."""
