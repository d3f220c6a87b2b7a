"""How the engine is reached by gRPC. Protobuf appears here, in `client` and in `testing`, and nowhere else."""
