"""Answers without a model: sentences selected from the evidence, earlier answers reformulated, figures read out."""
