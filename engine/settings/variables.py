"""Variables of the environment that look like ours and are none: typing mistakes, told with what was meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

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
#: How alike two names are (`difflib`) when one is taken for the other: of prefixes that are ours, and of shared ones.
_ALIKE, _NEARLY = 0.6, 0.8


def misspelt(name: str, known: Sequence[str]) -> str:
    """Why a variable is refused that is none of ours, with the name that was probably meant; empty when it is fine.

    Args:
        name: In upper case, as everything here.
        known: The variables that there are.
    """
    ours = name.startswith(_OUR_PREFIXES)
    if name in known or not (ours or name.startswith(_SHARED_PREFIXES)):
        return ""
    nearest = get_close_matches(name, known, n=1, cutoff=_ALIKE if ours else _NEARLY)
    if not ours and (not nearest or _OTHERS.fullmatch(name)):
        return ""
    meant = f"did you mean {nearest[0]}? See" if nearest else "see"
    return f"{name}: no such variable; {meant} docs/configuration.md"
