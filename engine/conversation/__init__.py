"""What is remembered: sessions, windows over them, and whether a message needs them."""
