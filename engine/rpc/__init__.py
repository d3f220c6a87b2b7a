"""How the engine is reached by gRPC."""
