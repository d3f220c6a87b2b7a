"""What a message does in a conversation: thanks, asks for a shorter form, corrects itself. A head on the encoder."""
