"""A follow-up as a standalone query: by rules, or by a model."""
