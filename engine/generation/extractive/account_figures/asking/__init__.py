"""What a question asks for: its operation, its words as the context has them, and the measure that it is about."""
