"""What is said: prompts, models, the answerer without a model, citations."""
