"""How the engine is reached over HTTP: Connect, gRPC-Web, OpenAI's endpoints, and the page for people."""
