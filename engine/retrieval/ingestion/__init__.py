"""Documents in: files read, cut into passages, embedded and indexed."""
