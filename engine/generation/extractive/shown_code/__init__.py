"""Questions about code that the caller shows, answered without a model: what a parser and the documents say of it."""
