"""What is written about the project agrees with the project."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import grpc
import pytest
import yaml
from packaging import version

from classifier import reasons
from engine.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


def test_every_variable_is_documented_with_its_default_and_nothing_else_is() -> None:
    table = (ROOT / "docs/configuration.md").read_text("utf-8")
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE))
    assert documented == {name.upper() for name in Settings.model_fields}
    for name, field in Settings.model_fields.items():
        assert f"{field.description}" in table, name


def test_every_reason_code_is_documented() -> None:
    page = (ROOT / "docs/routing.md").read_text("utf-8")
    codes = {str(code) for code in reasons.Reason}
    assert [code for code in codes if f"`{code}`" not in page] == []


@pytest.mark.parametrize("name", ["guarantees", "track-record"])
def test_every_promise_and_every_mend_names_a_test_that_exists(name: str) -> None:
    page = (ROOT / f"docs/{name}.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert named
    for path, test in named:
        assert f"def {test}(" in (ROOT / path).read_text("utf-8"), f"{path}::{test}"


def test_every_degradation_names_a_test_that_exists_and_a_part_that_health_knows() -> None:
    rows = [row for row in (ROOT / "docs/degradation.md").read_text("utf-8").splitlines() if row.startswith("| ")][2:]
    assert len(rows) >= 9
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        assert len(cells) == 6, row
        path, test = cells[-1].strip("` |").split("::")
        assert f"def {test}(" in (ROOT / path).read_text("utf-8"), row
        assert set(re.findall(r"\(`(\w+)`\)", cells[0])) <= {"ollama", "database", "classifier", "index"}, row


def test_links_between_documents_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_compose_file_publishes_the_engine_and_nothing_else() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["engine"]
    assert all(port.startswith("127.0.0.1:") for port in services["engine"]["ports"])
    assert services["engine"]["depends_on"]["models"]["condition"] == "service_completed_successfully"
    assert all("healthcheck" in services[name] for name in ("engine", "ollama"))


def test_the_compose_file_sets_only_variables_that_exist() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"]
    known = {name.upper() for name in Settings.model_fields}
    assert set(services["engine"]["environment"]) <= known


def test_the_floor_of_grpc_is_the_version_that_made_the_stubs() -> None:
    stubs = (ROOT / "engine/v1/engine_pb2_grpc.py").read_text("utf-8")
    made_by = re.search(r"GRPC_GENERATED_VERSION = '([\d.]+)'", stubs)
    assert made_by
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"grpcio>={made_by.group(1)}" in project["dependencies"]
    assert version.parse(grpc.__version__) >= version.parse(made_by.group(1))


def test_locks_and_settings_name_no_address_of_an_index() -> None:
    for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml", "Makefile", "Dockerfile"):
        text = (ROOT / name).read_text("utf-8")
        assert not re.search(r"--(extra-)?index-url|https?://", text), name
