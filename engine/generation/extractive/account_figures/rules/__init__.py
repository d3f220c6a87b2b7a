"""What rules say to a question, which speaks for the candidate that says the same."""
