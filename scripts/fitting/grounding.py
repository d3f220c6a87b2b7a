"""Says what `engine.generation.grounding` catches and what it marks wrongly, by the threshold of likeness.

    python -m scripts.fitting.grounding [FILE]

FILE holds JSON lines of `passage`, `sentence` and `supported`; when none is named, those that the threshold was set on.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from engine import bootstrap
from engine.domain import Evidence, Passage
from engine.generation import grounding
from engine.retrieval.embedding.onnx import OnnxEmbedder

ROWS = Path(__file__).with_name("grounding.jsonl")
_AROUND = (0.5, 0.58, 0.62, 0.64, 0.66, 0.68, 0.7, 0.74, 0.82)


def marked(rows: list[dict[str, str]], grounder: grounding.Grounder) -> list[bool]:
    """Whether each sentence is marked against its passage."""
    found = []
    for row in rows:
        cited = [Evidence(1, Passage("p", row.get("document", ""), "", row.get("heading", ""), row["passage"]))]
        found.append(bool(grounder.lacks(row["sentence"], cited, row.get("question", ""))))
    return found


def main() -> None:
    """The command line."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    embedder = OnnxEmbedder(bootstrap.MODEL_DIR)
    embedder.warm_up()
    grounder = grounding.Grounder(embedder)
    true = sum(bool(row["supported"]) for row in rows)
    chosen = grounding.SUPPORTED
    for threshold in _AROUND:
        grounding.SUPPORTED = threshold
        both = list(zip(marked(rows, grounder), rows, strict=True))
        wrong = sum(mark and row["supported"] for mark, row in both)
        caught = sum(mark and not row["supported"] for mark, row in both)
        sign = " <-" if threshold == chosen else ""
        print(f"{threshold:.2f}: {caught} of {len(rows) - true} inventions, {wrong} of {true} true sentences{sign}")


if __name__ == "__main__":
    main()
