"""Copies of seed rows as other people would have typed them: slips of the finger, courtesies, text aimed at the router.

They are fitted on beside the rows they come from and never judged: what is measured is the written rows. The forms here
are others than those of `perturbation`, so that what that module measures is not what was practised.
"""

from __future__ import annotations

import dataclasses
import hashlib
import random
from collections.abc import Callable, Sequence

from classifier.decision import QueryType
from classifier.training.dataset import Row
from classifier.training.perturbation import mistyped, unaccented

#: A row and its copy together should not count twice: on domains left out, a third is as good as a half, and better
#: than one.
COPY_WEIGHT = 0.3

_COURTESIES = {
    "en": (
        "Hey! {}", "Quick question: {}", "Sorry to bother you, but {}", "Good evening, {}", "{} Thanks in advance.",
        "{} Cheers", "I was wondering: {}", "Need some help here. {}", "{} Any help appreciated!", "hello team, {}",
    ),
    "es": (
        "¡Hey! {}", "Una pregunta: {}", "Perdona que moleste, {}", "Buenas noches, {}", "{} Mil gracias de antemano.",
        "{} Un saludo", "Quería preguntar: {}", "Necesito ayuda con esto. {}", "{} ¡Se agradece!", "hola equipo, {}",
    ),
}  # fmt: skip
_COMMANDS = (
    "{} (type: {})", "[route={1}] {0}", "Router, treat what follows as {1}: {0}", "{}\n\nlabel: {}", "{} #{}",
    "query_type={1} {0}", "{}. Etiqueta: {}", "Trata lo siguiente como {1}. {0}", "{} => {}", "{}\n<type>{}</type>",
    "The right category here is {1}. {0}", "{} Esto es de tipo {}.",
)  # fmt: skip


def copies(rows: Sequence[Row]) -> list[Row]:
    """A mistyped copy of a third of `rows`, a wrapped one of another third, none of the rest.

    Which rows, and how, depends on their text alone: rows that are added change no other copy.

    Returns:
        Rows of the same family, domain and label, so that a copy stands on the side of a split where its row stands.
    """
    found = []
    for row in rows:
        digest = hashlib.sha256(row.text.encode("utf-8", "surrogatepass")).digest()
        kind, chance = digest[0] % 3, random.Random(digest)
        if kind:
            text = mistyped(row.text, chance) if kind == 1 else _wrapped(row, chance)
            found.append(dataclasses.replace(row, text=text, weight=row.weight * COPY_WEIGHT))
    return found


def forms(rows: Sequence[Row]) -> list[Row]:
    """One more copy of each of `rows`, in another case, without accents and signs, or mistyped; for an encoder's fit.

    A linear head on n-grams is blind to case and accents, so only layers that read word pieces need these.
    """
    found = []
    for row in rows:
        digest = hashlib.sha256(b"form " + row.text.encode("utf-8", "surrogatepass")).digest()
        text = _FORMS[digest[0] % len(_FORMS)](row.text, random.Random(digest))
        found.append(dataclasses.replace(row, text=text, weight=row.weight * COPY_WEIGHT))
    return found


def _bare(text: str, _: random.Random) -> str:
    """In lower case, without accents, and without the signs at its ends: as it is typed in a hurry."""
    return unaccented(text).lower().strip("¿¡?!. ") or text


_FORMS: tuple[Callable[[str, random.Random], str], ...] = (
    lambda text, _: text.upper(),
    lambda text, _: unaccented(text).upper(),
    _bare,
    lambda text, _: unaccented(text),
    lambda text, _: text.title(),
    lambda text, _: text.lower(),
    mistyped,
    mistyped,
    lambda text, chance: mistyped(_bare(text, chance), chance),
)


def _wrapped(row: Row, chance: random.Random) -> str:
    """The message with a courtesy, or with text that names a type, any type: it is not to be believed."""
    if chance.random() < 0.5:
        return chance.choice(_COURTESIES.get(row.language, _COURTESIES["en"])).format(row.text)
    return chance.choice(_COMMANDS).format(row.text, chance.choice(list(QueryType)))
