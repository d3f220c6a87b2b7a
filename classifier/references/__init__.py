"""What a message points at outside itself: the conversation, or code in the editor."""
