"""Text to vectors: the bundled encoder, sentence-transformers, and a cache over either."""
