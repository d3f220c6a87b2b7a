"""What a message is to the conversation before it: a head on the encoder that reads both."""
