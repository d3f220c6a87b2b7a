"""Commands that put documents in an index and look into it."""
