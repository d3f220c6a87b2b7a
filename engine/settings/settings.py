"""Every variable the service reads: one frozen value, read once, by bootstrap and the command line only.

The environment wins over a `.env` file in the working directory. Parts are chosen by presence: nothing set is the
embedded engine. `docs/configuration.md` is checked against this class by a test.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from engine.errors import ConfigurationError
from engine.settings.access import AccessSettings, LimitSettings, empty_is_unset
from engine.settings.secret_files import file_variable, read_secrets
from engine.settings.traces import TraceSettings
from engine.settings.variables import PLAIN, check_lines, misspelt

#: The password in an address.
_PASSWORD = re.compile(r"(://[^/:@]*):[^/]*@")
#: Without a model a turn is work of this process alone: more at a time only take it from one another.
_TURNS_WITHOUT_A_MODEL = (2, 4)


def _listed(value: str) -> tuple[str, ...]:
    return tuple(item for item in (part.strip() for part in value.split(",")) if item)


class Settings(TraceSettings, LimitSettings, AccessSettings):
    """The configuration of one process. Field names in upper case are the variables."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True)

    ollama_model_name: str = Field(
        "", description="Main model, for RETRIEVAL and CODE_GENERATION. Unset: answers are extractive, without a model"
    )
    ollama_model_name_conversational: str = Field(
        "", description="Light model, for CONVERSATIONAL and PLATFORM. Unset: the main model"
    )
    ollama_host: str = Field("http://127.0.0.1:11434", description="Where Ollama listens, an http or https address")
    ollama_num_ctx: int = Field(8192, ge=1024, le=1_048_576, description="Context window asked of Ollama, in tokens")
    ollama_num_predict: int = Field(1024, ge=1, le=65_536, description="Longest answer, in tokens")
    ollama_num_parallel: int = Field(
        1,
        ge=1,
        le=1024,
        description="Answers that Ollama makes at a time with one model, as set by the same variable there. Twice as "
        "many requests are sent to it by each engine; the next is refused with RESOURCE_EXHAUSTED",
    )
    ollama_keep_alive: str = Field(
        "30m",
        pattern=r"^-?\d+(ms|s|m|h)?$",
        description="How long an unused model stays in memory, as Ollama writes it: 30m, 1h; -1 for ever",
    )
    ollama_load_seconds: float = Field(
        120, gt=0, le=3600, description="Longest wait for a model that is not in memory yet, in seconds"
    )
    ollama_silence_seconds: float = Field(
        30,
        gt=0,
        le=3600,
        description="Longest silence of a model that is in memory, in seconds: between two words, and before the first "
        "one on top of twice the time that the prompt is expected to be read for",
    )
    ollama_first_word_seconds: float = Field(
        20,
        gt=0,
        le=3600,
        description="How long a prompt may be read for at the pace that Ollama reported last, in seconds: passages and "
        "earlier turns that would take longer are left out",
    )
    embedding_model: str = Field(
        "",
        description="Embedder of the index and of training, by sentence-transformers (extra `transformers`): a name on "
        "the model hub such as BAAI/bge-m3, or a folder. Unset: the bundled one",
    )
    embedding_device: str = Field(
        "auto",
        description="Where that embedder runs: auto, cpu, cuda, cuda:1, mps or xpu",
    )
    database_url: SecretStr | None = Field(
        None,
        description="Where sessions are kept: postgresql+psycopg://user:password@host:port/database, with libpq's "
        "parameters behind ?, such as sslmode=verify-full. Unset: SQLite in ENGINE_DATA_DIR",
    )
    database_pool_size: int = Field(
        8, ge=2, le=200, description="Connections to PostgreSQL for transactions; one more holds the sessions' locks"
    )
    database_timeout_seconds: float = Field(
        5, ge=0.1, le=60, description="Longest wait for one answer of PostgreSQL, in seconds"
    )
    elasticsearch_url: str = Field(
        "",
        description="Where Elasticsearch (9.3 or newer) listens, an http or https address. Unset: the embedded index",
    )
    elasticsearch_index: str = Field(
        "knowledge",
        pattern=r"^[a-z0-9][a-z0-9._-]{0,199}$",
        description="Its alias for the index; versions are called by it with `-v1`, `-v2` ... after it",
    )
    elasticsearch_api_key: SecretStr = Field(
        SecretStr(""), description="API key for it. Unset: none is sent, or what stands in the address"
    )
    engine_data_dir: Path = Field(Path("data"), description="Index, sessions, labels and artifacts live here")
    classifier_model_path: Path | None = Field(
        None,
        description="Layer 2's artifact. Unset: classifier_model.npz in ENGINE_DATA_DIR if it is there, else the "
        "shipped one",
    )
    classifier_confidence_threshold: float | None = Field(
        None, ge=0, le=1, description="Layer 2 abstains below it. Unset: the artifact card's thresholds by type"
    )
    classifier_export_threshold: int = Field(
        500, ge=1, description="New sessions after which labels of stored turns are exported"
    )
    classifier_export_dir: Path | None = Field(
        None, description="Where labels are exported to. Unset: classifier_labels in ENGINE_DATA_DIR"
    )
    generator_history_turns: int = Field(
        3, ge=0, le=50, description="Question-answer pairs of history in the generator's prompt"
    )
    generator_history_answer_chars: int = Field(
        500, ge=0, le=100_000, description="Characters after which an earlier answer is cut in that prompt"
    )
    engine_grpc_address: str = Field("127.0.0.1:50051", description="Where gRPC listens, host:port")
    engine_web_address: str = Field(
        "127.0.0.1:8080",
        description="Where the page, Connect, gRPC-Web and OpenAI's endpoints listen, host:port. Set to nothing: gRPC "
        "alone",
    )
    engine_web_hosts: str = Field(
        "",
        description="Names that the web address is called by beside localhost and IP addresses, with commas between "
        "them; `*` is any name",
    )
    engine_cors_origins: str = Field(
        "",
        description="Origins of other sites' pages that may call the web address, with commas between them, such as "
        "https://dashboard.example.com; `*` is any site",
    )
    engine_reflection: bool = Field(default=True, description="Serve gRPC server reflection")
    engine_search_results: int = Field(8, ge=1, le=50, description="Passages given to the generator")
    engine_deadline_seconds: float = Field(
        300, gt=0, le=3600, description="Longest time of one answer when the caller sets no deadline, in seconds"
    )
    engine_session_wait_seconds: float = Field(
        30, gt=0, le=600, description="How long a second turn of a busy session waits before ABORTED, in seconds"
    )
    engine_max_turns: int = Field(
        0,
        ge=0,
        le=1024,
        description="Turns that run at a time in this process; the next wait. 0: twice OLLAMA_NUM_PARALLEL where a "
        "model is named, otherwise as many as the machine has cores, from 2 to 4",
    )
    engine_queue: int = Field(
        64,
        ge=0,
        le=10_000,
        description="Turns that wait for those; the next is refused at once with RESOURCE_EXHAUSTED and a retry hint",
    )
    engine_drain_seconds: float = Field(
        25, ge=0, le=600, description="Grace for running streams when the service is told to stop, in seconds"
    )
    engine_threads: int = Field(
        0, ge=0, le=256, description="Threads of the embedder. 0: as many as the machine has cores, at most 4"
    )
    engine_golden_set: Path = Field(
        Path("examples/golden/avap.jsonl"), description="The questions that EvaluateRAG and `evaluate` ask by default"
    )
    engine_log_format: Literal["text", "json"] = Field("text", description="How log lines are written to stderr")
    engine_log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least that is logged"
    )
    engine_session_days: int = Field(
        30, ge=1, le=36_500, description="Days after its last turn that a session is forgotten"
    )

    tools_file: Path | None = Field(
        None, description="JSON file that names MCP servers and which of their tools are offered. Unset: none is"
    )
    engine_tools_database_url: SecretStr | None = Field(
        None,
        description="Database that the planner's `database` tool may read, `sqlite:///file.db` or "
        "`postgresql+psycopg://...`. Unset: the tool is not offered",
    )

    _no_tools = field_validator("tools_file", "engine_tools_database_url", mode="before")(empty_is_unset)

    @field_validator("embedding_device")
    @classmethod
    def _is_device(cls, value: str) -> str:
        if not re.fullmatch(r"auto|cpu|mps|xpu|cuda(:\d+)?", value):
            raise ValueError("should be auto, cpu, mps, xpu, cuda or one of several, as in cuda:1")
        return value

    @field_validator("tools_file")
    @classmethod
    def _existing(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_file():
            raise ValueError("must name an existing JSON file; see docs/tools.md")
        return value

    @field_validator("engine_tools_database_url")
    @classmethod
    def _readable(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("sqlite:///", "postgresql+psycopg://")):
            raise ValueError("must begin with sqlite:/// or postgresql+psycopg://")
        return value

    @field_validator("ollama_host")
    @classmethod
    def _http(cls, value: str) -> str:
        if "://" not in value:
            value = f"http://{value}"  # as Ollama's own tools take it
        if not value.startswith(("http://", "https://")):
            raise ValueError("must be an address such as http://127.0.0.1:11434")
        return value.rstrip("/")

    @field_validator("database_url")
    @classmethod
    def _postgres(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None or not value.get_secret_value():
            return None
        if not value.get_secret_value().startswith("postgresql+psycopg://"):
            raise ValueError("must be postgresql+psycopg://user:password@host:port/database; unset it for SQLite")
        return value

    @field_validator("elasticsearch_url")
    @classmethod
    def _http_or_unset(cls, value: str) -> str:
        if not value:
            return value
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an address such as http://127.0.0.1:9200")
        port = parts.port or {"http": 9200, "https": 443}[parts.scheme]
        user = parts.netloc.rpartition("@")[0]
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return f"{parts.scheme}://{user}{'@' if user else ''}{host}:{port}{parts.path.rstrip('/')}"

    @field_validator("elasticsearch_api_key")
    @classmethod
    def _one_secret(cls, value: SecretStr, given: ValidationInfo) -> SecretStr:
        if value.get_secret_value() and "@" in given.data.get("elasticsearch_url", ""):
            raise ValueError("the address names a user already; leave one of the two out")
        return value

    @field_validator("engine_grpc_address", "engine_web_address")
    @classmethod
    def _host_and_port(cls, value: str, given: ValidationInfo) -> str:
        if not value and given.field_name == "engine_web_address":
            return value
        host, separator, port = value.rpartition(":")
        if not (separator and host and port.isdecimal() and int(port) <= 65_535):
            usual = "127.0.0.1:8080" if given.field_name == "engine_web_address" else "127.0.0.1:50051"
            raise ValueError(f"must be host:port, such as {usual}")
        return value

    @field_validator("engine_web_hosts")
    @classmethod
    def _names(cls, value: str) -> str:
        for name in _listed(value):
            if name != "*" and not re.fullmatch(r"[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*", name):
                raise ValueError("must be names of hosts such as assist.example.com, without port, or *")
        return value

    @field_validator("engine_cors_origins")
    @classmethod
    def _origins(cls, value: str) -> str:
        for origin in _listed(value):
            if origin != "*" and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/?#@\s]+", origin):
                raise ValueError("must be origins such as https://dashboard.example.com, without a path, or *")
        return value

    @field_validator("classifier_model_path")
    @classmethod
    def _npz(cls, value: Path | None) -> Path | None:
        if value is not None and value.suffix == ".pkl":
            raise ValueError(
                "pickle files can run code and are not read; make an artifact with `assistance-engine train` and name "
                "its .npz file"
            )
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment, then `.env`; no secret files."""
        del settings_cls, file_secret_settings
        # Each source looks at every field, half of the time of this class, also where there is no file.
        of_file = (dotenv_settings,) if Path(".env").exists() else ()
        return init_settings, env_settings, *of_file

    @property
    def web_hosts(self) -> tuple[str, ...]:
        """Names that the web address is called by."""
        return _listed(self.engine_web_hosts)

    @property
    def cors_origins(self) -> tuple[str, ...]:
        """Origins of other sites' pages that may call."""
        return _listed(self.engine_cors_origins)

    @property
    def light_model(self) -> str:
        """The light slot's model: its own, else the main one."""
        return self.ollama_model_name_conversational or self.ollama_model_name

    @property
    def max_turns(self) -> int:
        """Turns that run at a time: as many as the model is given, where there is one."""
        least, most = _TURNS_WITHOUT_A_MODEL
        own = min(max(os.cpu_count() or least, least), most)
        return self.engine_max_turns or (2 * self.ollama_num_parallel if self.light_model else own)

    @property
    def index_dir(self) -> Path:
        """Folder of the embedded index."""
        return self.engine_data_dir / "index"

    @property
    def database_path(self) -> Path:
        """File of the SQLite session store."""
        return self.engine_data_dir / "sessions.sqlite3"

    @property
    def keys_path(self) -> Path:
        """File of the API keys."""
        return self.engine_data_dir / "keys.json"

    @property
    def labels_dir(self) -> Path:
        """Folder of exported labels."""
        return self.classifier_export_dir or self.engine_data_dir / "classifier_labels"


#: Fields whose values are never shown, not even when they are wrong.
_SECRETS = {name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)}


def load_settings(**overrides: Any) -> Settings:
    """The configuration of this process.

    Raises:
        ConfigurationError: A variable is unknown or has a value that is not allowed; the message names each.
    """
    check_lines(Path(".env"))
    given = {**{name.upper(): value for name, value in dotenv_values(".env").items()}, **os.environ}
    known = [*(name.upper() for name in Settings.model_fields), *map(file_variable, _SECRETS)]
    from_files, problems = read_secrets(sorted(_SECRETS), given)
    problems += [problem for name in sorted(given) if (problem := misspelt(name, known))]
    try:
        settings = Settings(**{**from_files, **overrides})
    except ValidationError as error:
        for item in error.errors(include_url=False, include_context=False):
            if not item["loc"]:  # several variables together, which the message names
                problems.append(str(item["msg"].removeprefix("Value error, ")))
                continue
            name = str(item["loc"][0])
            problems.append(f"{name.upper()}: {_sentence(item, secret=name in _SECRETS)}")
        raise ConfigurationError("; ".join(problems)) from None
    if problems:
        raise ConfigurationError("; ".join(problems))
    return settings


def describe(settings: Settings) -> dict[str, str]:
    """The resolved configuration by variable name, secrets masked."""
    shown: dict[str, str] = {}
    for name in Settings.model_fields:
        value = getattr(settings, name)
        masked = isinstance(value, SecretStr) and value.get_secret_value()
        shown[name.upper()] = "********" if masked else _without_password("" if value is None else value)
    return shown


def _without_password(value: Any) -> str:
    return _PASSWORD.sub(r"\1:********@", str(value))


def _sentence(item: Any, *, secret: bool) -> str:
    said = PLAIN.get(item["type"]) or str(item["msg"].removeprefix("Value error, "))
    given = str(item["input"]) if isinstance(item.get("input"), Path) else item.get("input")
    return said if secret else f"{said} (got {_without_password(repr(given))})"
