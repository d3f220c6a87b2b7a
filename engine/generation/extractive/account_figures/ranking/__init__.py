"""Candidate answers over the facts of a context, ranked by a log-linear model, with a calibrated doubt."""
