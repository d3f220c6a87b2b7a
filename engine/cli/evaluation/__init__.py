"""Commands that judge answers, the search and the router."""
