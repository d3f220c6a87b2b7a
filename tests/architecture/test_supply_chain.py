"""What an install brings, and what a container may do."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.retrieval.ingestion.limits import MOST_MEMORY
from scripts.documentation.write_licences import ELSEWHERE, PAGE, licence, locked
from tests.architecture.test_deployment import ENGINES, FILES, compose, manifests

ROOT = Path(__file__).resolve().parents[2]
#: Beside reading a file, an index run holds the encoder, the libraries and what it writes.
_BESIDE = 700_000_000
_UNITS = {"m": 1 << 20, "Mi": 1 << 20, "g": 1 << 30, "Gi": 1 << 30}


def rows() -> dict[str, str]:
    table = PAGE.read_text("utf-8").partition("| --- | --- |\n")[2]
    return dict(re.findall(r"^\| ([\w.-]+) \| (.+) \|$", table, re.MULTILINE))


def bytes_of(text: str) -> int:
    number, unit = re.fullmatch(r"(\d+)(\w+)", text).groups()  # type: ignore[union-attr]  # or the test fails
    return int(number) * _UNITS[unit]


def test_the_page_of_licences_names_the_packages_of_the_lock() -> None:
    assert sorted(rows()) == sorted(locked()), "run python -m scripts.documentation.write_licences"
    for name in ("grpcio", "starlette", "numpy"):
        assert rows()[name] == licence(name)


def test_every_licence_lets_the_engine_be_given_on_under_its_own() -> None:
    accepted = re.compile(r"MIT|BSD|Apache|MPL|Mozilla|PSF|Python Software|ISC|Zlib|LGPL|CC0|Unlicense", re.IGNORECASE)
    for name, said in rows().items():
        assert said == ELSEWHERE or accepted.search(said), f"{name}: {said}"
        assert not re.search(r"(?<!L)GPL|Affero|proprietary", said), f"{name}: {said}"


def test_few_packages_are_for_other_systems_alone() -> None:
    assert sum(said == ELSEWHERE for said in rows().values()) <= 5


@pytest.mark.parametrize("files", [FILES[:1], FILES], ids=["one engine", "production"])
@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_in_compose_may_as_little_as_in_kubernetes(files: tuple[str, ...], name: str) -> None:
    service = compose(*files)["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["tmpfs"] == ["/tmp"]  # noqa: S108  # where a container may write beside its volume
    assert service["pids_limit"] <= 512
    assert bytes_of(service["mem_limit"]) >= 1 << 30


def test_no_server_beside_it_may_become_more_than_it_is() -> None:
    for name, service in compose(*FILES)["services"].items():
        assert "no-new-privileges:true" in service["security_opt"], name
        assert not service.get("privileged"), name


def containers() -> list[dict[str, Any]]:
    pods = [manifests()[kind]["spec"]["template"]["spec"] for kind in ("Job", "Deployment")]
    return [one for pod in pods for one in (*pod["containers"], *pod.get("initContainers", ()))]


def test_a_container_in_kubernetes_writes_to_its_volumes_alone() -> None:
    assert len(containers()) == 3
    for one in containers():
        assert one["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_whoever_indexes_has_the_memory_that_reading_one_file_may_take() -> None:
    job = manifests()["Job"]["spec"]["template"]["spec"]["containers"][0]
    assert bytes_of(job["resources"]["limits"]["memory"]) >= MOST_MEMORY + _BESIDE
    assert bytes_of(compose(*FILES)["services"]["index"]["mem_limit"]) >= MOST_MEMORY + _BESIDE


def test_no_image_is_whatever_is_newest() -> None:
    images = [one["image"] for one in compose(*FILES)["services"].values() if "image" in one]
    images += [one["image"] for one in containers()]
    images += re.findall(r"^ARG PYTHON_IMAGE=(\S+)$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert len(images) >= 8
    for image in images:
        tag = image.partition("@")[0].rpartition(":")[2]
        assert re.search(r"\d", tag), image
        assert tag != "latest", image


def test_both_stages_of_the_image_stand_on_the_one_that_is_named() -> None:
    froms = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert froms == ["${PYTHON_IMAGE}", "${PYTHON_IMAGE}"]


@pytest.mark.parametrize("target", ["sbom", "audit"])
def test_what_looks_at_the_lock_is_in_an_environment_of_its_own(target: str) -> None:
    done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True)
    (asked,) = [line for line in done.stdout.splitlines() if "requirements.lock" in line]
    assert re.search(r"\.venv-audit/bin/(cyclonedx-py|pip-audit)", asked)


def test_manifests_hold_no_secret() -> None:
    for text in ((ROOT / name).read_text("utf-8") for name in (*FILES, "deploy/kubernetes/engine.yaml")):
        for password in re.findall(r"://\w+:([^@\s]+)@", text):
            assert password.startswith("${"), password
    assert all(
        document["kind"] != "Secret"
        for document in yaml.safe_load_all((ROOT / "deploy/kubernetes/engine.yaml").read_text("utf-8"))
    )
