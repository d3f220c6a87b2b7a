"""The assistance engine: a conversational RAG service behind gRPC streaming.

Read `docs/architecture.md` for the rooms; the way of one request starts at `rpc.service` and goes through `answer`.
"""
