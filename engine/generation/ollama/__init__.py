"""Models behind an Ollama server."""
