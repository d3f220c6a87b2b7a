"""What `scripts/tune_intent.py` is made of."""
