from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine import tracing
from engine.bootstrap.traces import traces
from engine.errors import ConfigurationError
from engine.settings import load_settings
from engine.web.server import _listen, _Uvicorn


@pytest.mark.parametrize(
    ("given", "sent", "endpoint"),
    [
        ({}, "", None),
        ({"otel_exporter_otlp_endpoint": "http://collector:4318"}, "otlp", "http://collector:4318/v1/traces"),
        ({"otel_exporter_otlp_endpoint": "http://collector:4318/"}, "otlp", "http://collector:4318/v1/traces"),
        ({"otel_exporter_otlp_traces_endpoint": "http://a/b"}, "otlp", "http://a/b"),
        ({"otel_traces_exporter": "otlp"}, "otlp", None),
        ({"otel_traces_exporter": "console"}, "console", None),
        ({"otel_traces_exporter": "none", "otel_exporter_otlp_traces_endpoint": "http://a/b"}, "", "http://a/b"),
        ({"otel_sdk_disabled": True, "otel_traces_exporter": "otlp"}, "", None),
    ],
)
def test_traces_are_sent_where_a_variable_says_so(
    given: dict[str, str], sent: str, endpoint: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load_settings(**given)
    assert (settings.traces, settings.traces_endpoint) == (sent, endpoint)


def test_an_exporter_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "zipkin")
    with pytest.raises(ConfigurationError, match=r"OTEL_TRACES_EXPORTER.*'otlp'"):
        load_settings()


async def test_without_the_extra_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
    with pytest.raises(ConfigurationError, match=r"assistance-engine\[telemetry\]"):
        async with traces(load_settings(otel_traces_exporter="console")):
            raise AssertionError


@pytest.fixture
async def collector() -> AsyncIterator[tuple[str, list[bytes]]]:
    """A collector that keeps what it is sent; and where it is."""
    import uvicorn

    bodies: list[bytes] = []

    async def collect(request: Request) -> Response:
        bodies.append(await request.body())
        return Response(media_type="application/x-protobuf")

    app = Starlette(routes=[Route("/v1/traces", collect, methods=["POST"])])
    server = _Uvicorn(uvicorn.Config(app, log_config=None, lifespan="off", ws="none"))
    listening = _listen("127.0.0.1:0", 30)
    running = asyncio.create_task(server.serve([listening]))
    await server.listening.wait()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}", bodies
    server.should_exit = True
    await running


async def test_spans_reach_a_collector_by_the_end(
    collector: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    where, bodies = collector
    async with traces(load_settings(otel_exporter_otlp_endpoint=where, otel_service_name="under-test")):
        with tracing.call_span("Classify"):
            pass
    sent = ExportTraceServiceRequest.FromString(b"".join(bodies)).resource_spans[0]
    assert [span.name for span in sent.scope_spans[0].spans] == ["engine.v1.AssistanceService/Classify"]
    named = {one.key: one.value.string_value for one in sent.resource.attributes}
    assert named["service.name"] == "under-test"
    with tracing.call_span("Classify"):
        pass
    assert len(bodies) == 1
