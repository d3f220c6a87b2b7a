"""What `scripts/tune_intent.py` and `scripts/fit_answerability.py` are made of."""
