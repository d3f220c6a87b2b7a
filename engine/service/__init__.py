"""What every transport serves alike: the RPCs, their requests and responses, and the status of an error.

`rpc` (gRPC) and `web` (Connect, gRPC-Web, OpenAI) stand above this room and never import each other. Protobuf appears
here; gRPC does not.
"""
