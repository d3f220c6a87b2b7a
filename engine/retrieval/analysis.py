"""How text becomes terms: the tantivy schema, its analysers, and queries built from terms.

Two stemmed fields hold the same words, once as English and once as Spanish; a third holds identifiers as they are
written, a fourth the words of title and headings. A query is the flat OR of its terms in all of them, each weighted by
its field. It is never parsed: any text is text to be found. Flat, because tantivy skips blocks that cannot reach the
top (block-max WAND) only in a plain union of terms; a disjunction maximum over fields reads every posting.

The index keeps every word. A query drops the words that only make it a question (what, how, do, I ...): measured on
four multi-turn sets, nDCG@10 of the text half rises by .002 to .021 (clapnq last turn .254 to .275). A wider list, with
the forms of "be" and prepositions, gains on one collection and loses on the other. A Spanish query drops the function
words of Spanish: over English passages "un" and "como" are rare, so they would outweigh the words that matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

import tantivy

from engine.domain import Passage
from engine.text.language import SURE, Language, read_language


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Bytes of the longest term that is kept; longer "words" are encoded blobs.
TERM_BYTES = 64
#: Distinct words of a query that are looked up, in the order of the text: a pasted file must not take seconds.
QUERY_WORDS = 64
#: Characters of a query that are looked at for words.
QUERY_CHARS = 8_000

#: What a question is made of, whatever it asks about. What may be asked about in code (if, for, not) stays.
ENGLISH_FRAME = _words("""
    a an the what which who whom whose how when where why does do did i me my we our us you your of can could would
    should please
""")
SPANISH_FRAME = _words("""
    cómo cuál cuáles cuándo cuánta cuánto cuántas cuántos dónde qué quién quiénes hacer hace hay puede puedo podría
""")

_WORD = re.compile(r"\w+")
_UPPER, _LOWER = "A-ZÀ-ÖØ-Þ", r"[^\W\d_A-ZÀ-ÖØ-Þ]"
_PART = re.compile(rf"[{_UPPER}]+(?!{_LOWER})|[{_UPPER}]?{_LOWER}+|\d+")
_NAME_IN_CODE = re.compile(rf"(?:{_LOWER}|\d)[{_UPPER}]|[^\W_]_+[^\W_]")


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """What a term counts in each field, relative to the others; 0 leaves the field out.

    Attributes:
        english: Stemmed as English.
        spanish: Stemmed as Spanish.
        identifier: A name as it is written in code.
        heading: The words of title and heading path, stemmed as English.
    """

    english: float = 1.0
    spanish: float = 0.3
    identifier: float = 1.0
    heading: float = 0.3


#: The Spanish field beside the English one changes nDCG@10 on English sets by -.003 to +.005.
DEFAULT_WEIGHTS = FieldWeights()


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced: they can reach a string from JSON, but have no UTF-8 form."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def names_in_code(text: str) -> list[str]:
    """The words of `text` that can only be names in code (camelCase, snake_case), as they are written."""
    return [word for word in _WORD.findall(text) if len(word) <= TERM_BYTES and _NAME_IN_CODE.search(word)]


def name_parts(name: str) -> list[str]:
    """The words within a name: `addVar` is add and Var, `HTTP_get2` is HTTP, get and 2."""
    return _PART.findall(name)


def _analyser(stemmer: str) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    # Accents go after stemming: the Spanish stemmer reads them, people leave them out.
    for step in (
        tantivy.Filter.remove_long(TERM_BYTES),
        tantivy.Filter.lowercase(),
        tantivy.Filter.stemmer(stemmer),
        tantivy.Filter.ascii_fold(),
    ):
        builder = builder.filter(step)
    return builder.build()


_ENGLISH, _SPANISH = _analyser("english"), _analyser("spanish")
#: Leaves nothing of a function word of Spanish, by Snowball's list.
_FUNCTION_WORDS = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.stopword("spanish")).build()
)
_NAMES = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(tantivy.Filter.lowercase()).build()


def stems(text: str) -> frozenset[str]:
    """The terms of `text` by the stemmers of both languages: those of one word tell whether a text has a form of it."""
    plain = well_formed(text)
    return frozenset((*_ENGLISH.analyze(plain), *_SPANISH.analyze(plain)))


def build_schema() -> tantivy.Schema:
    """The fields of a passage. A change here or in an analyser needs a new `SCHEMA_VERSION`."""
    builder = tantivy.SchemaBuilder()
    for name in ("title", "heading", "text"):
        builder.add_text_field(name, stored=True, tokenizer_name="nothing", index_option="basic")
    for name in ("id", "document"):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    # Which document a passage is of, and in which state: what incremental indexing compares and deletes by.
    builder.add_text_field("fingerprint", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("key", fast=True)
    for name, tokenizer in (("english", "english"), ("spanish", "spanish"), ("heading_words", "english")):
        builder.add_text_field(name, tokenizer_name=tokenizer, index_option="freq")
    builder.add_text_field("identifier", tokenizer_name="names", index_option="freq")
    return builder.build()


def register_analysers(index: tantivy.Index) -> None:
    """Names the analysers of the schema; needed each time an index is opened."""
    nothing = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.remove_long(0)).build()
    for name, analyser in (("english", _ENGLISH), ("spanish", _SPANISH), ("names", _NAMES), ("nothing", nothing)):
        index.register_tokenizer(name, analyser)


def stored_passage(passage: Passage, searchable: str, fingerprint: str, key: int) -> tantivy.Document:
    """A passage as tantivy keeps it.

    Args:
        passage: Its score is not kept.
        searchable: The text that is analysed.
        fingerprint: Of the document that it is from.
        key: Names its vector.
    """
    document = tantivy.Document()
    for name, text in (
        ("id", passage.id),
        ("document", passage.document),
        ("title", passage.title),
        ("heading", passage.heading),
        ("text", passage.text),
        ("fingerprint", fingerprint),
        *_analysed_texts(passage, searchable).items(),
    ):
        document.add_text(name, text)
    document.add_unsigned("key", key)
    return document


def passage_terms(passage: Passage, searchable: str) -> dict[str, list[str]]:
    """The terms of a passage by field, as tantivy makes them of what it is given: for an index that is kept elsewhere.

    Args:
        passage: Its title and heading are a field of their own.
        searchable: The text that is analysed.
    """
    analysers = {"english": _ENGLISH, "spanish": _SPANISH, "heading_words": _ENGLISH, "identifier": _NAMES}
    texts = _analysed_texts(passage, searchable)
    return {name: analysers[name].analyze(well_formed(text)) for name, text in texts.items()}


def _analysed_texts(passage: Passage, searchable: str) -> dict[str, str]:
    """What the analyser of each field reads."""
    searchable = unicodedata.normalize("NFC", searchable)
    names = names_in_code(searchable)
    words = " ".join([searchable, *(part for name in dict.fromkeys(names) for part in name_parts(name))])
    return {
        "english": words,
        "spanish": words,
        "heading_words": f"{passage.title} {passage.heading}",
        "identifier": " ".join(names),
    }


def passage_of(document: tantivy.Document, score: float) -> Passage:
    """A stored passage, with the score that a search gave it."""
    first = {name: str(values[0]) for name, values in document.to_dict().items() if values}
    return Passage(
        id=first["id"],
        document=first["document"],
        title=first["title"],
        heading=first["heading"],
        text=first["text"],
        score=score,
    )


def build_query(schema: tantivy.Schema, text: str, weights: FieldWeights = DEFAULT_WEIGHTS) -> tantivy.Query | None:
    """The query that finds `text`: any of its words, in any field.

    Args:
        schema: Of the index.
        text: Any Unicode text.
        weights: In a Spanish query English and Spanish change places; an English one leaves the Spanish field out.

    Returns:
        None when the text holds no word.
    """
    clauses = [
        (tantivy.Occur.Should, tantivy.Query.boost_query(tantivy.Query.term_query(schema, name, term, "freq"), weight))
        for name, term, weight in query_terms(text, weights)
    ]
    return tantivy.Query.boolean_query(clauses) if clauses else None


def query_terms(text: str, weights: FieldWeights = DEFAULT_WEIGHTS) -> Iterator[tuple[str, str, float]]:
    """The (field, term, weight) that a query for `text` is made of; no field has a term twice."""
    found = dict.fromkeys(_WORD.findall(unicodedata.normalize("NFC", well_formed(text[:QUERY_CHARS]))))
    lower = {word: word.lower() for word in found}
    dropped = ENGLISH_FRAME
    told = read_language(text)
    language = told.code if told.margin >= SURE else ""
    if language == Language.SPANISH:
        weights = replace(weights, english=weights.spanish, spanish=weights.english)
        dropped = ENGLISH_FRAME | SPANISH_FRAME | {word for word in lower.values() if not _FUNCTION_WORDS.analyze(word)}
    elif language == Language.ENGLISH:
        weights = replace(weights, spanish=0.0)
    # A query that is nothing but frame ("What can you do?") is taken at its word.
    words = ([word for word in found if lower[word] not in dropped] or list(found))[:QUERY_WORDS]
    parts = [part for word in words if _NAME_IN_CODE.search(word) for part in name_parts(word)]
    line = " ".join([*words, *parts])
    english = _ENGLISH.analyze(line)
    for name, terms, weight in (
        ("english", english, weights.english),
        ("spanish", _SPANISH.analyze(line), weights.spanish),
        ("heading_words", english, weights.heading),
        ("identifier", [lower[word] for word in words if len(word.encode()) <= TERM_BYTES], weights.identifier),
    ):
        if weight > 0:
            yield from ((name, term, weight) for term in dict.fromkeys(terms))
