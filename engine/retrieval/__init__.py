"""What is looked up: documents in, passages out."""
