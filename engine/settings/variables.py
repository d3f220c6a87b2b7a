"""Variables that look like ours and are none, and lines that are no variables: told with what was meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from dotenv.parser import parse_stream

from engine.errors import ConfigurationError

#: Prefixes of variables that are ours: an unknown one of these is a typing mistake and is refused.
_OUR_PREFIXES = ("ENGINE_", "CLASSIFIER_", "GENERATOR_")
#: Prefixes that other programs use too: an unknown one is taken for a mistake when it is nearly one of ours.
_SHARED_PREFIXES = ("OLLAMA_", "ELASTICSEARCH_", "DATABASE_", "EMBEDDING_", "TOOLS_")
#: What is not ours and near to what is: variables of Ollama's own server that may stand in the same environment
#: (source: its `envconfig`), and what Kubernetes sets for each Service of its namespace.
_OTHERS = re.compile(
    r"OLLAMA_(MODELS|ORIGINS|DEBUG|MAX_QUEUE|MAX_LOADED_MODELS|LOAD_TIMEOUT|CONTEXT_LENGTH|API_KEY|NOPRUNE|NOHISTORY)"
    r"|\w+_(SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_\w+)"
)
#: How alike two names are (`difflib`) when one is taken for the other: of prefixes that are ours, of shared ones, and
#: of all others, where the mistake may be in the prefix.
_ALIKE, _NEARLY, _ALMOST = 0.6, 0.8, 0.94
#: What is wrong with a value, where pydantic says it in words of its trade; by its kind of error.
PLAIN = {
    "int_parsing": "should be a whole number",
    "int_from_float": "should be a whole number",
    "float_parsing": "should be a number",
    "bool_parsing": "should be true or false",
}


def check_lines(path: Path) -> None:
    """Refuses a file of variables with a line that is none, which would be passed over otherwise.

    Raises:
        ConfigurationError: Naming the file and its lines; what stands there may be a secret.
    """
    if path.is_file():
        with path.open(encoding="utf-8") as lines:
            wrong = [str(one.original.line) for one in parse_stream(lines) if one.error]
        if wrong:
            raise ConfigurationError(
                f"{path.absolute()}: line {', '.join(wrong)} should be NAME=value, or begin with #"
            )


def misspelt(name: str, known: Sequence[str]) -> str:
    """Why a variable is refused that is none of ours, with the name that was probably meant; empty when it is fine.

    Args:
        name: In upper case, as everything here.
        known: The variables that there are.
    """
    if name in known:
        return ""
    ours, shared = name.startswith(_OUR_PREFIXES), name.startswith(_SHARED_PREFIXES)
    nearest = get_close_matches(name, known, n=1, cutoff=_ALIKE if ours else _NEARLY if shared else _ALMOST)
    if not ours and (not nearest or _OTHERS.fullmatch(name)):
        return ""
    meant = f"did you mean {nearest[0]}? See" if nearest else "see"
    return f"{name}: no such variable; {meant} docs/configuration.md"
