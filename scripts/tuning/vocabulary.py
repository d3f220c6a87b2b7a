"""The pieces of multilingual-e5-small that are kept, and the tokenizer over them."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from scripts.tuning.e5_weights import Pieces

#: What stands for a space in a piece.
SPACE = "\u2581"
_SPANISH = frozenset("áéíóúüñÁÉÍÓÚÜÑ")
_SCRIPTS = ("LATIN", "GREEK", "MODIFIER LETTER")


def kept(pieces: Pieces) -> list[int]:
    """Ids of the pieces that English, Spanish, code and Chinese are written with, in ascending order.

    Those are the special tokens, every piece of Han characters, every piece of ASCII and Spanish letters, and single
    letters of the Latin and Greek scripts, digits, punctuation and symbols: German or French falls apart into shorter
    pieces, but keeps its letters. Rare pieces of ASCII letters are kept too: "mortgage" is one of the last 50,000.
    """
    special = (pieces.bos, pieces.eos, pieces.pad, pieces.unk)
    return [place for place, text in enumerate(pieces.texts) if place in special or _is_kept(text.replace(SPACE, ""))]


def _is_kept(text: str) -> bool:
    if text == "<mask>":
        return False
    if len(text) <= 1:
        return not text or _is_basic(text)
    if all(_is_han(character) for character in text):
        return True
    return all(character.isascii() or character in _SPANISH for character in text)


def _is_basic(character: str) -> bool:
    """Whether a single character is kept: no letters of scripts other than Latin, Greek and Han."""
    if not unicodedata.category(character).startswith(("L", "M")):
        return True
    return _is_han(character) or unicodedata.name(character, "").startswith(_SCRIPTS)


def _is_han(character: str) -> bool:
    return unicodedata.name(character, "").startswith("CJK ")


def tokenizer(pieces: Pieces, chosen: Sequence[int]) -> Tokenizer:
    """The tokenizer over `chosen`; a piece's id is its place there.

    NFKC, runs of white space as one space, one space in front, Viterbi over the scores. Source: Kudo, Subword
    Regularization (2018), and SentencePiece's `nmt_nfkc` normalisation.
    """
    vocabulary = [(pieces.texts[place], float(pieces.scores[place])) for place in chosen]
    place = {old: new for new, old in enumerate(chosen)}
    made = Tokenizer(models.Unigram(vocabulary, unk_id=place[pieces.unk], byte_fallback=False))
    made.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(r"[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]"), ""),
            normalizers.NFKC(),
            normalizers.Replace(Regex(r"[\s\u200b-\u200f\ufeff]+"), " "),
            normalizers.Strip(),
        ]
    )
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always")
    bos, eos = pieces.texts[pieces.bos], pieces.texts[pieces.eos]
    made.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A {eos}",
        special_tokens=[(bos, place[pieces.bos]), (eos, place[pieces.eos])],
    )
    return made


def compact(made: Tokenizer) -> str:
    """The tokenizer's JSON without white space, scores to four decimals: half of the bytes."""
    content = json.loads(made.to_str())
    content["model"]["vocab"] = [[text, round(score, 4)] for text, score in content["model"]["vocab"]]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
