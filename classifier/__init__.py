"""The query type of a text: declared, else prefix, else embedding, else a small model, else the default.

This package knows nothing of the service around it: no gRPC, no LangGraph, no Elasticsearch, no `engine`.
Start reading at `cascade`; `decision` holds the values that everything here speaks.
"""

from pathlib import Path

#: What ships beside the code: the seed, the prefixes, the bounds and the artifact.
DATA = Path(__file__).parent / "data"
