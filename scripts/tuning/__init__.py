"""Makes the bundled encoder, and fits the layers of it that read the types."""
