"""The query type of a text: declared, else prefix, else embedding, else a small model, else the default.

This package knows nothing of the service around it: no gRPC, no LangGraph, no Elasticsearch, no `engine`.
Start reading at `cascade`; `decision` holds the values that everything here speaks.
"""
