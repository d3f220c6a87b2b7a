"""The variables of traces, as OpenTelemetry has them: a part of `engine.settings`. Its SDK reads the others itself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings


class TraceSettings(BaseSettings):
    """Whether traces are sent, and where to."""

    otel_exporter_otlp_endpoint: str = Field(
        "",
        description="Collector of OpenTelemetry that traces are sent to, such as http://127.0.0.1:4318 (extra "
        "`telemetry`). Unset, with the next two: no traces",
    )
    otel_exporter_otlp_traces_endpoint: str = Field(
        "", description="The same with the whole path, such as http://127.0.0.1:4318/v1/traces"
    )
    otel_traces_exporter: Literal["", "otlp", "console", "none"] = Field(
        "", description="`otlp` (by HTTP), `console` (to stdout) or `none`. Unset: `otlp` where an endpoint is set"
    )
    otel_sdk_disabled: bool = Field(default=False, description="`true`: no traces, whatever else is set")
    otel_service_name: str = Field("assistance-engine", description="The service's name in its traces")

    @property
    def traces(self) -> Literal["", "otlp", "console"]:
        """How traces leave the process; empty: there are none."""
        if self.otel_sdk_disabled or self.otel_traces_exporter == "none":
            return ""
        if self.otel_traces_exporter:
            return self.otel_traces_exporter
        return "otlp" if self.otel_exporter_otlp_endpoint or self.otel_exporter_otlp_traces_endpoint else ""

    @property
    def traces_endpoint(self) -> str | None:
        """Where they go by OTLP; None: OpenTelemetry's default, on this machine."""
        base = self.otel_exporter_otlp_endpoint
        return self.otel_exporter_otlp_traces_endpoint or (f"{base.rstrip('/')}/v1/traces" if base else None)
