"""Who calls and what they may: scopes, API keys, signed tokens, and the certificates of the connection."""
