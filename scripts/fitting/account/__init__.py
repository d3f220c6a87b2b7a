"""What the ranking of account figures and the heads of questions for them are fitted to, and by what."""
