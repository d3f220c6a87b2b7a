"""Whether two words are forms of one."""

from __future__ import annotations

from functools import lru_cache

from engine.text.words import stem

#: Letters by which two forms of a word are told to be one.
_BEGINNING = 6
#: Letters of the shortest word that is the beginning of another form, and those that may follow.
_STEM, _ENDING = 4, 3
#: What endings of words begin with.
_ENDINGS = "aeiouysdrlnmf"
#: Pairs of words that are kept: a question is held against the same rows many times.
_KEPT = 8_192


@lru_cache(_KEPT)
def one_word(one: str, two: str) -> bool:
    """Whether two words, none of which is a number, are forms of one."""
    if one[0].isdigit() or two[0].isdigit():
        return False
    shorter, longer = sorted((stem(one), stem(two)), key=len)
    if shorter[:_BEGINNING] == longer[:_BEGINNING] and min(len(shorter), _BEGINNING) >= _STEM:
        return True
    begins = longer.startswith(shorter) and len(longer) - len(shorter) <= _ENDING and _ends(longer[len(shorter) :])
    return shorter == longer or (len(shorter) >= _STEM and begins)


@lru_cache(_KEPT)
def begins_alike(one: str, other: str) -> bool:
    """Whether two words begin alike and go on with endings: "hire", "hiring", "wrap", "wrapped"."""
    shorter = min(len(one), len(other))
    alike = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    longer = max(one, other, key=len)
    doubled = alike == shorter < len(longer) and longer[alike] == longer[alike - 1]  # "wrap", "wrapped"
    rests = (longer[alike + 1 :],) if doubled else (one[alike:], other[alike:])
    return shorter >= _STEM and alike >= shorter - 1 and all(map(_ends, rests))


def _ends(rest: str) -> bool:
    """Whether letters may be the ending of a word: "hire" and "hiring" are one, "plan" and "plant" are two."""
    return not rest or rest[0] in _ENDINGS or len(rest) > _ENDING
