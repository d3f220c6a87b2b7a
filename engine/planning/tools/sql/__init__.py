"""Read-only questions to a database."""
