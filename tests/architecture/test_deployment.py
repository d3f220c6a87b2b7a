"""What is shipped for running on more than one machine agrees with the engine, and with itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.settings import Settings, load_settings

ROOT = Path(__file__).resolve().parents[2]
#: A variable in a compose file, with its default where it has one.
_WITH_DEFAULT = re.compile(r"\$\{\w+(?::-([^}]*)|:\?[^}]*)?\}")
KNOWN = {name.upper() for name in Settings.model_fields}
#: Variables of `.env` that compose reads and the engine does not.
OURS_ALONE = {"POSTGRES_PASSWORD", "ENGINE_REPLICAS"}
FILES = ("docker-compose.yml", "deploy/compose.replicas.yml")
#: Services that run this repository's image.
ENGINES = ("engine", "index")


class Compose(yaml.SafeLoader):
    """Reads compose files, in which `!reset` takes back what an earlier file said."""


Compose.add_constructor("!reset", lambda _loader, _node: None)


def read(name: str) -> dict[str, Any]:
    return dict(yaml.load((ROOT / name).read_text("utf-8"), Compose))  # noqa: S506  # a safe loader with one tag more


def compose(*names: str) -> dict[str, Any]:
    """What compose makes of these files: maps are merged, all else is replaced."""

    def merge(one: Any, other: Any) -> Any:
        if isinstance(one, dict) and isinstance(other, dict):
            return {key: merge(one.get(key), other[key]) if key in other else one[key] for key in {**one, **other}}
        return other

    merged: dict[str, Any] = {}
    for name in names:
        merged = merge(merged, read(name))
    return merged


SETUPS = pytest.mark.parametrize("files", [FILES[:1], FILES], ids=["one engine", "production"])


def manifests() -> dict[str, dict[str, Any]]:
    documents = yaml.safe_load_all((ROOT / "deploy/kubernetes/engine.yaml").read_text("utf-8"))
    return {document["kind"]: document for document in documents}


@SETUPS
def test_one_port_is_published_and_only_on_this_machine(files: tuple[str, ...]) -> None:
    services = compose(*files)["services"]
    published = {name: service["ports"] for name, service in services.items() if service.get("ports")}
    assert published == {"balancer" if "balancer" in services else "engine": ["127.0.0.1:50051:50051"]}


@SETUPS
def test_every_server_has_a_health_check_and_whoever_needs_one_waits_for_it(files: tuple[str, ...]) -> None:
    services = compose(*files)["services"]
    jobs = {"models", "index"}
    assert {name for name, service in services.items() if "restart" not in service} == jobs
    for name, service in services.items():
        # A balancer that others do not wait for needs none: it looks after the engines' health itself.
        assert "healthcheck" in service or name in jobs | {"balancer"}, name
        for needed, condition in service.get("depends_on", {}).items():
            ends = "service_completed_successfully" if needed in jobs else "service_healthy"
            assert condition == {"condition": ends}, (name, needed)
            assert needed in services


@SETUPS
def test_the_index_is_filled_by_one_job_before_any_engine_starts(files: tuple[str, ...]) -> None:
    services = compose(*files)["services"]
    assert services["engine"]["command"] == ["assistance-engine", "serve"]
    assert services["index"]["command"][:3] == ["assistance-engine", "index", "--if-empty"]
    assert all((ROOT / path).exists() for path in services["index"]["command"][3:])
    assert "index" in services["engine"]["depends_on"]
    where = [services[name].get("environment", {}).get("ELASTICSEARCH_URL") for name in ENGINES]
    assert where[0] == where[1]
    assert services["engine"]["volumes"] == services["index"]["volumes"]  # one folder for all of them


@SETUPS
def test_the_engine_gets_only_variables_that_exist_with_values_that_are_allowed(
    files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    services = compose(*files)["services"]
    for name in ENGINES:
        variables = services[name].get("environment", {})
        assert set(variables) <= KNOWN
        filled = {key: _WITH_DEFAULT.sub(lambda found: found[1] or "secret", text) for key, text in variables.items()}
        for key, text in filled.items():
            monkeypatch.setenv(key, text)
    settings = load_settings()
    assert settings.ollama_host == "http://ollama:11434"
    assert bool(settings.elasticsearch_url) == bool(settings.database_url) == (files == FILES)


def test_passwords_have_no_default_and_the_example_names_what_is_read() -> None:
    environment = compose(*FILES)["services"]["engine"]["environment"]
    assert "${POSTGRES_PASSWORD:?" in environment["DATABASE_URL"]
    example = (ROOT / ".env.example").read_text("utf-8").splitlines()
    assert "POSTGRES_PASSWORD=" in example
    names = {line.split("=")[0] for line in example if line and not line.startswith("#")}
    assert names <= KNOWN | OURS_ALONE
    asked = {found for name in FILES for found in re.findall(r"\$\{(\w+)", (ROOT / name).read_text("utf-8"))}
    assert asked == names


def test_both_sides_are_told_how_many_answers_are_made_at_a_time() -> None:
    services = compose(*FILES)["services"]
    assert services["engine"]["environment"]["OLLAMA_NUM_PARALLEL"] == "${OLLAMA_NUM_PARALLEL:-1}"
    assert services["ollama"]["environment"]["OLLAMA_NUM_PARALLEL"] == "${OLLAMA_NUM_PARALLEL:-1}"


@SETUPS
def test_named_volumes_are_declared(files: tuple[str, ...]) -> None:
    file = compose(*files)
    used = {volume.split(":")[0] for service in file["services"].values() for volume in service.get("volumes", [])}
    assert {name for name in used if not name.startswith(".")} == set(file["volumes"])
    assert all((ROOT / name).exists() for name in used if name.startswith("."))


def test_the_balancer_spreads_calls_and_knows_the_engines_health() -> None:
    envoy = yaml.safe_load((ROOT / "deploy/envoy/envoy.yaml").read_text("utf-8"))["static_resources"]
    (cluster,) = envoy["clusters"]
    assert "grpc_health_check" in cluster["health_checks"][0]
    options = next(iter(cluster["typed_extension_protocol_options"].values()))
    assert "http2_protocol_options" in options["explicit_http_config"]
    (endpoint,) = cluster["load_assignment"]["endpoints"][0]["lb_endpoints"]
    assert endpoint["endpoint"]["address"]["socket_address"] == {"address": "engine", "port_value": 50051}
    route = envoy["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]["route_config"]
    retried = route["virtual_hosts"][0]["routes"][0]["route"]["retry_policy"]["retry_on"]
    assert set(retried.split(",")) <= {"connect-failure", "refused-stream"}  # a turn is never asked twice


def test_a_pod_has_time_to_drain() -> None:
    pod = manifests()["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    variables = {entry["name"]: entry["value"] for entry in container["env"]}
    assert set(variables) <= KNOWN
    wait = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert pod["terminationGracePeriodSeconds"] >= wait + float(variables["ENGINE_DRAIN_SECONDS"]) + 5
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["grpc"]["port"] == 50051


def test_the_manifests_speak_of_the_same_pods() -> None:
    found = manifests()
    assert set(found) == {
        "Service",
        "PersistentVolumeClaim",
        "Job",
        "Deployment",
        "PodDisruptionBudget",
        "HorizontalPodAutoscaler",
    }
    labels = found["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert found["Service"]["spec"]["selector"] == labels
    assert found["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert found["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"] == found["Deployment"]["metadata"]["name"]
    replicas = found["HorizontalPodAutoscaler"]["spec"]["minReplicas"]
    assert found["Deployment"]["spec"]["replicas"] == replicas
    assert replicas > found["PodDisruptionBudget"]["spec"]["maxUnavailable"]


def test_the_job_fills_what_the_engines_read_and_they_wait_for_it() -> None:
    found = manifests()
    job, pod = (found[kind]["spec"]["template"]["spec"] for kind in ("Job", "Deployment"))
    assert job["containers"][0]["args"][:3] == ["assistance-engine", "index", "--if-empty"]
    assert job["containers"][0]["image"] == pod["containers"][0]["image"] == pod["initContainers"][0]["image"]
    assert "assistance-engine search" in pod["initContainers"][0]["args"][-1]
    claim = {"name": "data", "persistentVolumeClaim": {"claimName": found["PersistentVolumeClaim"]["metadata"]["name"]}}
    assert claim in job["volumes"]
    assert claim in pod["volumes"]
    assert found["PersistentVolumeClaim"]["spec"]["accessModes"] == ["ReadWriteMany"]
    assert "--index-if-empty" not in pod["containers"][0]["args"]


def test_a_schema_tool_finds_nothing_wrong_with_the_manifests() -> None:
    tool = pytest.importorskip("kubernetes_validate", reason="pip install kubernetes-validate (108 MB) to check them")
    for document in manifests().values():
        tool.validate(document, "1.34", strict=True)
