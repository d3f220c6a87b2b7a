"""Source code into passages along its definitions."""
