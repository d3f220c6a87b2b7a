"""Which candidate is meant: features of each, a log-linear model over them, and which answer is given."""
