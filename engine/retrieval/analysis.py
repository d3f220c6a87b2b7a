"""How text becomes terms: the tantivy schema, its analysers, and queries built from terms.

Two stemmed fields hold the same words, once as English and once as Spanish; a third holds identifiers as they are
written, a fourth the words of title and headings. A query is the flat OR of its terms in all of them, each weighted by
its field. It is never parsed: any text is text to be found. Flat, because tantivy skips blocks that cannot reach the
top (block-max WAND) only in a plain union of terms; a disjunction maximum over fields reads every posting.

The index keeps every word, function words too. A query drops the function words of Spanish when it is Spanish: over
English passages "un" and "como" are rare, so they would outweigh the words that matter. Dropping the English ones of an
English query changed nDCG@10 by -.011 to +.005 on four sets, so they stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

import tantivy

from engine.domain import Passage

#: Bytes of the longest term that is kept; longer "words" are encoded blobs.
TERM_BYTES = 64
#: Distinct words of a query that are looked up, in the order of the text: a pasted file must not take seconds.
QUERY_WORDS = 64
#: Characters of a query that are looked at for words.
QUERY_CHARS = 8_000

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
_NAME_IN_CODE = re.compile(r"[a-z0-9][A-Z]|[^\W_]_+[^\W_]")


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


#: English above Spanish: measured on English sets, .3 for Spanish changes nDCG@10 by less than .003.
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


def _analyser(stemmer: str, *stop_words: str) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (tantivy.Filter.remove_long(TERM_BYTES), tantivy.Filter.lowercase()):
        builder = builder.filter(step)
    for language in stop_words:
        builder = builder.filter(tantivy.Filter.stopword(language))
    # Accents go after stemming: the Spanish stemmer reads them, people leave them out.
    return builder.filter(tantivy.Filter.stemmer(stemmer)).filter(tantivy.Filter.ascii_fold()).build()


_ENGLISH, _SPANISH = _analyser("english"), _analyser("spanish")
_ENGLISH_BARE, _SPANISH_BARE = _analyser("english", "english"), _analyser("spanish", "spanish")
_ENGLISH_WITHOUT_SPANISH = _analyser("english", "spanish")
_NAMES = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(tantivy.Filter.lowercase()).build()


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
    searchable = unicodedata.normalize("NFC", searchable)
    names = names_in_code(searchable)
    words = " ".join([searchable, *(part for name in dict.fromkeys(names) for part in name_parts(name))])
    document = tantivy.Document()
    for name, text in (
        ("id", passage.id),
        ("document", passage.document),
        ("title", passage.title),
        ("heading", passage.heading),
        ("text", passage.text),
        ("fingerprint", fingerprint),
        ("english", words),
        ("spanish", words),
        ("heading_words", f"{passage.title} {passage.heading}"),
        ("identifier", " ".join(names)),
    ):
        document.add_text(name, text)
    document.add_unsigned("key", key)
    return document


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
        weights: For a query that is not Spanish; in a Spanish one English and Spanish change places.

    Returns:
        None when the text holds no word.
    """
    clauses = [
        (tantivy.Occur.Should, tantivy.Query.boost_query(tantivy.Query.term_query(schema, name, term, "freq"), weight))
        for name, term, weight in query_terms(text, weights)
        if weight > 0
    ]
    return tantivy.Query.boolean_query(clauses) if clauses else None


def query_terms(text: str, weights: FieldWeights = DEFAULT_WEIGHTS) -> Iterator[tuple[str, str, float]]:
    """The (field, term, weight) that a query for `text` is made of; no field has a term twice."""
    text = unicodedata.normalize("NFC", well_formed(text[:QUERY_CHARS]))
    words = list(dict.fromkeys(_WORD.findall(text)))[:QUERY_WORDS]
    parts = [part for word in words if _NAME_IN_CODE.search(word) for part in name_parts(word)]
    line = " ".join([*words, *parts])
    english = _ENGLISH.analyze(line)
    spanish, heading = _SPANISH.analyze(line), english
    if is_spanish(line):
        weights = replace(weights, english=weights.spanish, spanish=weights.english)
        spanish, english = _SPANISH_BARE.analyze(line), _ENGLISH_WITHOUT_SPANISH.analyze(line)
        heading = english
    names = [word.lower() for word in words if len(word.encode()) <= TERM_BYTES]
    for name, terms, weight in (
        ("english", english, weights.english),
        ("spanish", spanish, weights.spanish),
        ("heading_words", heading, weights.heading),
        ("identifier", names, weights.identifier),
    ):
        yield from ((name, term, weight) for term in dict.fromkeys(terms))


def is_spanish(text: str) -> bool:
    """Whether `text` has more function words of Spanish than of English; False when it has none of either."""
    in_all = len(_ENGLISH.analyze(text))
    return in_all - len(_SPANISH_BARE.analyze(text)) > in_all - len(_ENGLISH_BARE.analyze(text))
