"""Figures as a request states them: JSON, lines and tables, running text."""
