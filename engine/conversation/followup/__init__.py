"""What a message refers to in its conversation, and the question that it asks when it stands alone."""
