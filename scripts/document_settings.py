"""Writes docs/configuration.md from engine.settings; a test fails when the two disagree."""

from __future__ import annotations

from pathlib import Path

from engine.settings import Settings

PAGE = Path(__file__).resolve().parent.parent / "docs" / "configuration.md"
_HEAD = """# Configuration

The engine reads environment variables, and a `.env` file in the working directory for those that are not set. They are
read once, at start; a value that is not allowed, or a misspelt name that begins with `ENGINE_`, `CLASSIFIER_` or
`GENERATOR_`, is refused with the variable's name. `assistance-engine doctor` prints what they resolve to.

With nothing set the engine is whole in one process. `OLLAMA_MODEL_NAME` swaps the answerer for a model.

(Written by `scripts/document_settings.py` from `engine/settings.py`.)

| Variable | Default | Meaning |
| --- | --- | --- |
"""


def page() -> str:
    """The whole page."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = "unset" if field.default in ("", None) else f"`{field.default}`"
        rows.append(f"| `{name.upper()}` | {default} | {field.description} |")
    return _HEAD + "\n".join(rows) + "\n"


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
