"""The assistance engine: a conversational RAG service behind gRPC streaming.

Read `docs/architecture.md` for the rooms; a request enters at `rpc.service` and is answered by `answering.engine`.
"""
