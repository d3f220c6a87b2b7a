"""What a question asks for: its operation, its words and their other names."""
