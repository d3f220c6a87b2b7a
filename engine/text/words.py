"""The words that a message is about: what is left of it without the words that every message is made of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from classifier.text import unmarked

_WORD = re.compile(r"[^\W_](?:[\w'’.&/+#-]*[\w+#])?")
_PLAIN_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
#: What a cause or a purpose stands behind.
_REASON = re.compile(
    r"\b(?:because|since (?!\d)|due to|owing to|so that|in order to|otherwise|to (?:avoid|prevent)|porque|ya que|"
    r"puesto que|debido al?|a causa de|para que|para evitar|de lo contrario|"
    r"por (?:riesgo|peligro|motivos?|razones|seguridad|falta|ley))\b",
    re.IGNORECASE,
)
_NUMBER_ASKED = re.compile(
    r"\b(?:how (?:many|much|long|often|old|far|early|late|soon|fast|big|large|tall|high|deep|wide|heavy|hot)|when|"
    r"what (?:year|time)|cu[aá]nt[oa]s?|cu[aá]ndo|qu[eé] hora)\b",
    re.IGNORECASE,
)
#: Puts several things into one question; at its beginning it only goes on.
_SEVERAL = re.compile(r"(?<=\w)[\s,]+(?:and|or|y|e|o|u)\b", re.IGNORECASE)
_DATE_ASKED = re.compile(
    r"\b(?:when|cu[aá]ndo|(?:what|which|release|publication) (?:date|day)|qu[eé] (?:fecha|d[ií]a)|fecha de)\b",
    re.IGNORECASE,
)
#: A capital behind a small letter.
_INNER_CAPITAL = re.compile(r"(?=[^\W\d_])[^\W\dA-ZÁÉÍÓÚÑÜ_]\w*?[A-ZÁÉÍÓÚÑÜ]")
#: Asks how something is done.
_PROCEDURAL = re.compile(
    r"\b(how (do|can|to|would|should)|what ((do|should|must|can|shall) (i|we|you|one) do|to do)|steps?|set up|install|"
    r"configure|register|create|write|make|build|deploy|"
    r"c[oó]mo|pasos|instal[aoe]r?|configur[aoe]r?|registr[aoe]r?|cre[aoe]r?|escrib[aeiío]r?|hac(er|emos)|hago|"
    r"despleg[aou]r?)\b",
    re.IGNORECASE,
)
#: Letters of a word whose folded form is kept; longer ones are encoded blobs.
_REMEMBERED_CHARS = 32
#: Characters of a text whose stems are kept: most questions, headings and sentences, some 8 MB of them at most.
_REMEMBERED_TEXT_CHARS = 400
#: Begins a question that is answered by yes or no, in English; a Spanish one has no word that asks.
_YES_OR_NO = re.compile(
    r"\W*(?:and |but |so )?(?:is|are|was|were|do|does|did|can|could|will|would|may|must|should|has|have)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:q|qu[eé]|cu[aá]l(?:es)?|cu[aá]nt[oa]s?|cu[aá]ndo|c[oó]mo|d[oó]nde|qui[eé]n(?:es)?|what|which|how|where|when|who|whose|why)\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]s$|['’]$")
#: Pairs of words that are kept: a question is held against the same rows many times.
_KEPT_PAIRS = 8_192
#: Letters by which two forms of a word are told to be one.
_BEGINNING = 6
#: Letters of the shortest word that is the beginning of another form, and those that may follow.
_STEM_LETTERS, _ENDING_LETTERS = 4, 3
#: What endings of words begin with.
_ENDINGS = "aeiouysdrlnmf"


#: What English and Spanish sentences are made of whatever they are about, folded; with the words of talking itself.
COMMON = frozenset(
    """
    a an the and or but nor so if then than that this these those there here it its it's itself he him his himself she
    her hers herself they them their theirs themselves we us our ours you your yours yourself i me my mine myself
    i'm i've i'd i'll you're you've they're that's what's who's how's where's let's it'll there's he's she's
    is are was were be been being am do does did done doing have has had having can could will would shall should may
    might must ought isn't aren't wasn't weren't don't doesn't didn't can't cannot won't wouldn't couldn't shouldn't
    hasn't haven't hadn't ain't
    of in on at to for with from by as about into over under after before between during through against without
    within upon off out up down onto toward towards per via besides except around across along among
    again further once also too very just only even still already yet ever never not no yes ok okay quite rather really
    actually maybe perhaps probably currently usually often sometimes always generally however although though while
    because since due instead either neither both whether else hi hello hey oh wow please thanks thank sorry
    what which who whom whose how when where why whatever
    tell give gives given giving show explain describe list name names named say says said saying know known think
    mean means meant meaning want wants need needs like liked likes clarify clarifying wonder wondering talk talking
    speak speaking told ask asking asked elaborate hear let mention mentioned suggest recommend understand see
    question questions answer answers information info detail details example examples thing things way ways kind
    kinds type types sort sorts reason reasons point points fact part parts lot lots bit case cases number numbers
    something anything everything nothing someone anyone everyone somebody anybody nobody people person topic subject
    some any all each every few many much more most less least several other others another same such own one ones two
    first second third last next former latter new old good better best bad worse worst great big little long
    bigger biggest considered main
    nice sure right wrong true false able possible available different important interesting similar
    get gets got getting make makes made making take takes took taking taken use uses used using go goes going gone went
    come comes came put keep set try start started starts begin began become became call called find found look looks
    looking happen happens happened work works worked working seem seems sound sounds help helps provide include
    year years time times day days today now ago then place
    al algo algun alguna algunas alguno algunos alla alli ante antes apenas aquel aquella aquello aqui asi aun aunque
    bien cada casi como con contra cosa cosas cual cuales cualquier cuando cuanta cuantas cuanto cuantos de del demas
    desde despues donde dos durante e el ella ellas ello ellos en entonces entre era eran eres es esa esas ese eso esos
    esta estaba estan estar estas este esto estos estoy fue fueron gracias gran grande ha haber habia hace hacen hacer
    haces hacia hago han has hasta hay haz hola hoy igual ir la las le les lo los luego mas me mejor menos mi mia mio
    mis misma mismo mucha muchas mucho muchos muy nada nadie ni ningun ninguna ninguno no nos nosotros nuestra nuestro
    nunca o os otra otras otro otros para pero poco por porque primer primera primero puede pueden puedes puedo pues
    que quien quienes quiere quiero sabe sabes se sea segun segunda segundo ser si sido siempre sin sino sirve sirven
    sobre solo somos son soy su sus suya suyo tal tambien tampoco tan tanto te tener tengo ti tiene tienen tienes toda
    todas todavia todo todos tras tres tu tus tuyo u ultima ultimo un una unas uno unos usa usan usar uso usted ustedes
    va vale vamos van ver vez veces voy y ya yo
    di dime dame dinos cuenta cuentame explica explicame explicar habla hablame hablar muestra muestrame describe decir
    dices dijiste significa pregunta preguntas respuesta respuestas ejemplo ejemplos detalle detalles tipo tipos forma
    manera razon parte tema caso ejemplos favor funciona funcionan existe existen llama llaman necesito podria puedas
    crees opinas recomiendas
    """.split()  # noqa: SIM905
)


def folded(word: str) -> str:
    """`word` as it is compared: case folded, without accents and without a possessive ending."""
    return _remembered(word) if len(word) <= _REMEMBERED_CHARS else _fold(word)


def _fold(word: str) -> str:
    return _POSSESSIVE.sub("", unmarked(word.replace("’", "'").casefold()))


#: A turn folds the same few thousand words of questions and passages many times.
_remembered = lru_cache(16_384)(_fold)


def words(text: str) -> list[str]:
    """The words of `text` as they are written, those with inner marks (401k, B-1, node.js) whole."""
    return _WORD.findall(unicodedata.normalize("NFC", text))


def blanked(text: str, stretches: Iterable[tuple[int, int]]) -> str:
    """`text` with spaces in the place of these stretches of it, from and to: all else stays where it stands."""
    for start, end in stretches:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def plain_words(text: str) -> list[str]:
    """The words of `text` cut at every mark: its runs of letters and digits, as they are written."""
    return _PLAIN_WORD.findall(text)


def letter_words(text: str) -> list[str]:
    """The runs of letters in `text`, as they are written."""
    return _LETTERS.findall(text)


def has_digit(text: str) -> bool:
    """Whether a digit stands anywhere in `text`."""
    return _DIGIT.search(text) is not None


def stem(word: str) -> str:
    """What the singular and the plural of `word` share: enough to see that a word was said before."""
    return _remembered_stem(word) if len(word) <= _REMEMBERED_CHARS else _stem(word)


def _stem(word: str) -> str:
    plain = folded(word)
    for ending, kept in (("ies", "y"), ("ses", "s"), ("es", ""), ("s", "")):
        if plain.endswith(ending) and len(plain) - len(ending) >= 3 and not plain.endswith("ss"):
            return (plain[: -len(ending)] + kept).rstrip("e") or plain
    return plain.rstrip("e") or plain


_remembered_stem = lru_cache(16_384)(_stem)


def is_common(word: str) -> bool:
    """Whether `word` says nothing about what is talked about; a single letter does not either."""
    plain = folded(word)
    return len(plain) < 2 or plain in COMMON


def content(text: str) -> Iterator[str]:
    """The words of `text` that say what it is about, as they are written, in order."""
    return (word for word in words(text) if not is_common(word))


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words of `content`: what two texts about one thing share, however it is inflected."""
    return _remembered_stems(text) if len(text) <= _REMEMBERED_TEXT_CHARS else _content_stems(text)


def _content_stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, content(text)))


#: A turn compares its question with dozens of headings, sentences and rows, one by one and in several rooms.
_remembered_stems = lru_cache(2_048)(_content_stems)


def is_name_in_code(word: str) -> bool:
    """Whether `word` is written as names in code are: addVar, add_var, RequestGet."""
    return "_" in word.strip("_") or _INNER_CAPITAL.search(word) is not None


def asks_how(text: str) -> bool:
    """Whether a question asks how something is done."""
    return _PROCEDURAL.search(text) is not None


def gives_a_reason(text: str) -> bool:
    """Whether a sentence says why, by a conjunction or a preposition of cause or purpose."""
    return _REASON.search(text) is not None


def asks_for_a_number(question: str) -> bool:
    """Whether it asks for a number or a time, in English or Spanish."""
    return _NUMBER_ASKED.search(question) is not None


def asks_for_one_number(question: str) -> bool:
    """Whether it asks for a number or a time, and of one thing alone."""
    return asks_for_a_number(question) and _SEVERAL.search(question) is None


def asks_for_a_date(question: str) -> bool:
    """Whether it asks on which day something is or was, in English or Spanish."""
    return _DATE_ASKED.search(question) is not None


def asks_something(question: str) -> bool:
    """Whether a message has a word that asks, or begins as a question that is answered by yes or no does."""
    return _YES_OR_NO.match(question) is not None or _ASKING.search(question) is not None


def asks_yes_or_no(question: str) -> bool:
    """Whether a question is answered by yes or no: it begins so in English, or has a mark and no word that asks."""
    return _YES_OR_NO.match(question) is not None or ("?" in question and _ASKING.search(question) is None)


@lru_cache(_KEPT_PAIRS)
def one_word(one: str, two: str) -> bool:
    """Whether two words, none of which is a number, are forms of one."""
    if one[0].isdigit() or two[0].isdigit():
        return False
    shorter, longer = sorted((stem(one), stem(two)), key=len)
    if shorter[:_BEGINNING] == longer[:_BEGINNING] and min(len(shorter), _BEGINNING) >= _STEM_LETTERS:
        return True
    begins = (
        longer.startswith(shorter) and len(longer) - len(shorter) <= _ENDING_LETTERS and _ends(longer[len(shorter) :])
    )
    return shorter == longer or (len(shorter) >= _STEM_LETTERS and begins)


@lru_cache(_KEPT_PAIRS)
def begins_alike(one: str, other: str) -> bool:
    """Whether two words begin alike and go on with endings: "hire", "hiring", "wrap", "wrapped"."""
    shorter = min(len(one), len(other))
    alike = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    longer = max(one, other, key=len)
    doubled = alike == shorter < len(longer) and longer[alike] == longer[alike - 1]  # "wrap", "wrapped"
    rests = (longer[alike + 1 :],) if doubled else (one[alike:], other[alike:])
    return shorter >= _STEM_LETTERS and alike >= shorter - 1 and all(map(_ends, rests))


def _ends(rest: str) -> bool:
    """Whether letters may be the ending of a word: "hire" and "hiring" are one, "plan" and "plant" are two."""
    return not rest or rest[0] in _ENDINGS or len(rest) > _ENDING_LETTERS
