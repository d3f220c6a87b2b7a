"""Figures of an account: read from a request's context, chosen by what a question means, and calculated with."""
