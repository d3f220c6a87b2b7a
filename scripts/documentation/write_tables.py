"""Writes what of the docs comes from code: configuration.md, metrics.md, the reason codes of routing.md.

Tests fail when page and code disagree.
"""

from __future__ import annotations

import ast
from pathlib import Path

from engine import metrics
from engine.settings import Settings
from engine.settings.access import AccessSettings, LimitSettings
from engine.settings.traces import TraceSettings

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = ROOT / "docs" / "configuration.md"
METRICS = ROOT / "docs" / "metrics.md"
ROUTING = ROOT / "docs" / "routing.md"
_MARK = "## Reason codes\n"
_HEAD = """# Configuration

The engine reads environment variables, and a `.env` file in the working directory for those that are not set. They are
read once, at start; a value that is not allowed, or a misspelt name that begins with `ENGINE_`, `CLASSIFIER_` or
`GENERATOR_`, is refused with the variable's name. `assistance-engine doctor` prints what they resolve to.

A secret may be in a file that the variable with `_FILE` behind it names, as orchestrators mount them:
`DATABASE_URL_FILE`, `ELASTICSEARCH_API_KEY_FILE`, `ENGINE_TOOLS_DATABASE_URL_FILE`, `ENGINE_TOKEN_FILE`.

With nothing set the engine is whole in one process. `OLLAMA_MODEL_NAME` swaps the answerer for a model,
`ELASTICSEARCH_URL` the index ([elasticsearch.md](elasticsearch.md)).

(Written by `scripts/documentation/write_tables.py` from `engine/settings`.)

| Variable | Default | Meaning |
| --- | --- | --- |
"""


def configuration() -> str:
    """The whole page of variables."""
    rows = []
    fields = Settings.model_fields
    # Base classes come first in pydantic; in the table who is let in comes last, and what limits there are before that.
    last = (*TraceSettings.model_fields, *LimitSettings.model_fields, *AccessSettings.model_fields)
    for name in sorted(fields, key=lambda name: last.index(name) if name in last else -1):
        field = fields[name]
        default = "unset" if str(field.default) in ("", "None") else f"`{field.default}`"
        rows.append(f"| `{name.upper()}` | {default} | {field.description} |")
    return _HEAD + "\n".join(rows) + "\n"


_METRICS_HEAD = """# Metrics

`GET /metrics` on the web address (`ENGINE_WEB_ADDRESS`) gives what the engine counts in Prometheus' text format. Where
identity is on (`ENGINE_AUTH`) it asks for the scope `metrics` (or `admin`): `assistance-engine keys create
--name prometheus --scope metrics`, and in Prometheus' configuration:

```yaml
scrape_configs:
  - job_name: assistance-engine
    authorization: {type: Bearer, credentials_file: /run/secrets/engine-metrics-key}
    static_configs: [{targets: ["engine:8080"]}]
```

A name other than an IP address has to be in `ENGINE_WEB_HOSTS`. No label holds a caller, a session or anything that a
caller has sent, so the number of series has a bound. With them come `process_*` (memory, processor time, open files).
With `serve --workers N` any worker gives what all have counted together, without `process_*`; what one has counted that
has ended stays, and its gauges go.

`deploy/grafana/engine.json` is a dashboard over these metrics, `deploy/prometheus/alerts.yml` has rules for alerts.

A histogram `NAME` is queried as `NAME_bucket`, `NAME_sum` and `NAME_count`. Seconds and shares, never milliseconds.

(Written by `scripts/documentation/write_tables.py` from `engine/metrics.py`.)

| Metric | Kind | Labels | Meaning |
| --- | --- | --- | --- |
"""


def metrics_page() -> str:
    """The whole page of metrics."""
    rows = []
    for one in metrics.described():
        labels = ", ".join(f"`{label}`" for label in one.labels)
        rows.append(f"| `{one.name}` | {one.kind} | {labels} | {one.meaning} |")
    return _METRICS_HEAD + "\n".join(rows) + "\n"


def reasons() -> str:
    """The section of reason codes: each member of `classifier.reasons.Reason` with the text under it."""
    tree = ast.parse((ROOT / "classifier" / "reasons.py").read_text("utf-8"))
    members = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Reason").body[1:]
    rows = ["| Code | Means |", "| --- | --- |"]
    for member, text in zip(members[::2], members[1::2], strict=True):
        assert isinstance(member, ast.Assign)  # noqa: S101  # the class holds pairs
        assert isinstance(text, ast.Expr)  # noqa: S101
        rows.append(f"| `{ast.literal_eval(member.value)}` | {ast.literal_eval(text.value)} |")
    note = "\n`default:` before a code means that the stated default was taken, and why the last layer abstained.\n\n"
    return _MARK + note + "\n".join(rows) + "\n"


def main() -> None:
    """Writes them."""
    METRICS.write_text(metrics_page(), "utf-8")
    CONFIGURATION.write_text(configuration(), "utf-8")
    page = ROUTING.read_text("utf-8").partition(_MARK)[0].rstrip() + "\n\n"
    ROUTING.write_text(page + reasons(), "utf-8")


if __name__ == "__main__":
    main()
