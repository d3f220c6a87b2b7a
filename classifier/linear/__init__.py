"""Layer 2: a text's features, the linear heads over them, and the artifact that holds both."""
