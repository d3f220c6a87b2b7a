"""What the service says about itself: the text of its log lines, and how they are written.

The texts are an interface: operators match them. Fields ride beside the text; no query, answer, context or token is
ever among them.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import structlog

from classifier.decision import Decision, Layer

#: A known prefix decided.
L1_DECIDED = "[classify] L1 → {type}"
#: The embedding layer decided.
L2_DECIDED = "[classifier/L2] → {type} (conf={confidence:.2f})"
#: The embedding layer was asked and is not sure enough.
L2_LOW_CONFIDENCE = "[classifier/L2] low confidence ({confidence:.2f}) → LLM fallback"
#: The caller declared the type.
DECLARED = "[classify] caller-declared → {type}"
#: The small model was asked and decided.
L3_DECIDED = "[prepare/classify] L3 {model} -> {type}"
#: No layer decided.
DEFAULTED = "[classify] default → {type}"
#: The first text of an answer goes out; the length is of the passages found, in characters.
ANSWERING = "[{method}] query_type={type} context_len={length}"
#: A search has been made. Never for PLATFORM or CONVERSATIONAL.
SEARCHED = "[hybrid] RRF -> {count} final docs"
#: A follow-up has been put as a question of its own: by the model, or by rules and why.
REWRITTEN = "[rewrite] {how}"
#: A layer 2 artifact is in use.
ARTIFACT_LOADED = "[classifier/L2] model loaded from {path}"
#: A layer 2 artifact was refused: layers 1 and 3 go on alone.
ARTIFACT_REFUSED = "[classifier/L2] no model: {reason}"
#: A head on the encoder was refused: what messages do, or what they are to their conversation, is told by rules alone.
HEAD_REFUSED = "[classifier/heads] no head: {reason}"
#: The server accepts calls.
SERVING = "[serve] gRPC on {address}"
WORKER_ENDED = "[serve] worker {pid} has ended with code {code}"
#: The web server accepts calls.
SERVING_WEB = "[serve] web on {address}"
#: It does not run: its default address is another process's.
NO_WEB = "[serve] no web: {reason}"
#: The server has been told to stop.
STOPPING = "[serve] stopping, up to {seconds:g} s for running answers"
#: The server has stopped.
STOPPED = "[serve] stopped"
#: A turn has been stored.
TURN_STORED = "[turn] stored, {outcome}"
#: A turn could not be stored; the problem is in the engine's own words.
TURN_NOT_STORED = "[turn] not stored: {problem}"
#: A turn ended with an error of the engine's own kind.
TURN_FAILED = "[turn] failed: {kind}"
#: Turns were refused since the last such line: as many run and wait as may.
REFUSED = "[admission] {count} refused"
#: Calls with missing or bad credentials since the last such line; the reason is of the last one.
UNIDENTIFIED = "[identity] {count} refused"
#: What credentials are checked against cannot be read: nobody is let in.
IDENTITY_UNREADABLE = "[identity] nobody can be identified: {problem}"
#: Identity is on and there is nothing yet that identifies anybody.
NO_KEYS = "[identity] no key is good yet; make one with `assistance-engine keys create --name NAME`"
#: Everybody who reaches the port may do everything.
OPEN = (
    "[identity] OPEN TO EVERYBODY: {address} can be reached from other machines and ENGINE_AUTH is not set; whoever "
    "reaches it reads and deletes all sessions. Set ENGINE_AUTH=keys or jwt, or listen on 127.0.0.1"
)
#: Keys and answers can be read on their way.
CLEAR_TEXT = (
    "[identity] {address} can be reached from other machines without TLS: keys and answers travel in clear text. Set "
    "ENGINE_TLS_CERT and ENGINE_TLS_KEY, or keep a proxy with TLS before it"
)
#: A certificate that clients will refuse.
OUT_OF_DATE = "[tls] {variable}: the certificate is good until {until}, or not yet; clients refuse it"
#: A model of Ollama is in memory before anybody has asked it.
MODEL_READY = "[ollama] {model} is loaded"
#: It could not be loaded ahead; the first question tries again.
WARM_UP_FAILED = "[ollama] {model} could not be loaded ahead"
#: Old sessions could not be forgotten this time.
PURGE_FAILED = "[sessions] purge failed"
#: Labels of stored turns have been exported.
LABELS_EXPORTED = "[labels] exported {count}"
#: Labels could not be exported this time.
EXPORT_FAILED = "[labels] export failed"
#: A turn ended with an error that nobody expected; the traceback rides along.
UNEXPECTED = "[rpc] unexpected error in {method}"

#: A library has logged an error; its words are left out.
LIBRARY_ERROR = "[library] {name} logged an error"
#: An error that nobody caught ended a thread or came up in a clean-up.
UNCAUGHT = "[engine] an error that nobody caught"

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def decision_lines(decision: Decision, model: str) -> list[str]:
    """The log lines of a routing decision, in the order the layers were asked.

    Args:
        model: The small model's name, for layer 3's line.
    """
    lines = []
    asked = {opinion.layer: opinion for opinion in decision.opinions}
    embedding = asked.get(Layer.EMBEDDING)
    if embedding is not None and embedding.type is None and embedding.best is not None:
        lines.append(L2_LOW_CONFIDENCE.format(confidence=embedding.confidence))
    texts = {
        Layer.DECLARED: DECLARED,
        Layer.PREFIX: L1_DECIDED,
        Layer.EMBEDDING: L2_DECIDED,
        Layer.LLM: L3_DECIDED,
        Layer.DEFAULT: DEFAULTED,
    }
    text = texts[decision.layer]
    return [*lines, text.format(type=decision.type, confidence=decision.confidence, model=model)]


def configure_logging(log_format: str, level: str) -> None:
    """Sends log lines to stderr, as text or one JSON object a line, others' lines there too without their words."""
    renderer: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _without_words,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    _take_over_others()


def _take_over_others() -> None:
    """Puts one handler in the place of all that print what libraries log, warn of, or raise where nobody catches it.

    A library may quote in a message what it works on, and that is what people have asked or written.
    """
    root = logging.getLogger()
    root.handlers = [_OthersHandler()]
    for name in list(logging.root.manager.loggerDict):
        other = logging.getLogger(name)
        other.handlers = []
        other.propagate = True
    logging.raiseExceptions = False  # a message that does not fit its arguments would be printed with both
    logging.captureWarnings(capture=True)
    threading.excepthook = lambda hooked: _uncaught(hooked.exc_value)
    sys.unraisablehook = lambda hooked: _uncaught(hooked.exc_value)


class _OthersHandler(logging.Handler):
    """Says of an error that a library logs who logged it and where, and drops everything below."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a line with nothing of the record's message, arguments or exception text."""
        error = record.exc_info[1] if record.exc_info else None
        fields = {} if error is None else {"kind": type(error).__name__, "at": where(error)}
        place = f"{Path(record.pathname).name}:{record.lineno}"
        logger().error(LIBRARY_ERROR.format(name=record.name), logged_at=place, **fields)


def _uncaught(error: BaseException | None) -> None:
    if error is not None:
        logger().error(UNCAUGHT, kind=type(error).__name__, at=where(error))


def _without_words(_logger: Any, _method: str, fields: Any) -> Any:
    """An exception as its kind and place: its own words may quote a caller."""
    error = fields.pop("exc_info", None)
    if error is True:
        error = sys.exc_info()[1]
    elif isinstance(error, tuple):
        error = error[1]
    if isinstance(error, BaseException):
        fields |= {"kind": type(error).__name__, "at": where(error)}
    return fields


def logger() -> structlog.typing.FilteringBoundLogger:
    """The service's logger; fields bound to the request's context ride along."""
    bound: structlog.typing.FilteringBoundLogger = structlog.get_logger()
    return bound


def session_hash(session_id: str) -> str:
    """A short name for a session in logs, from which its id cannot be read."""
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def where(error: BaseException) -> list[str]:
    """The files, lines and functions that an error came through, innermost last, without any values."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
