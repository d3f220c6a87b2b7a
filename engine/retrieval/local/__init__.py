"""The embedded index: text in tantivy, vectors beside it."""
