"""OpenTelemetry's SDK as configured: loaded only where traces are wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from engine import tracing
from engine.errors import ConfigurationError
from engine.settings.traces import TraceSettings

#: Milliseconds that spans get to leave the process at its end.
_LAST_SPANS = 2000


@asynccontextmanager
async def traces(settings: TraceSettings) -> AsyncGenerator[None]:
    """Has spans made and sent; at the end, those that wait are sent for a moment more.

    Raises:
        ConfigurationError: Traces are wanted and the extra is not installed.
    """
    if not settings.traces:
        yield
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
    except ImportError:
        raise ConfigurationError(
            "OTEL_TRACES_EXPORTER or OTEL_EXPORTER_OTLP_ENDPOINT is set, and the extra `telemetry` is not installed: "
            "pip install 'assistance-engine[telemetry]', or unset them"
        ) from None
    exporter: SpanExporter = (
        ConsoleSpanExporter() if settings.traces == "console" else OTLPSpanExporter(endpoint=settings.traces_endpoint)
    )
    resource = Resource.create({"service.name": settings.otel_service_name})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracing.use(provider.get_tracer("engine"))
    try:
        yield
    finally:
        tracing.use(None)
        await asyncio.to_thread(provider.force_flush, _LAST_SPANS)
        await asyncio.to_thread(provider.shutdown)
