"""Bytes into text: by byte order mark, as UTF-8, else in the encoding that a detector finds."""

from __future__ import annotations

import codecs
import re

from engine.retrieval.analysis import well_formed

#: Bytes at the start of a file in which a NUL tells that it is not text.
_SNIFFED_BYTES = 8_192
#: Bytes from the first one that is not ASCII which the detector reads: it is no surer of more.
_DETECTED_BYTES = 65_536
#: Encodings that people have files in. Of the detector's own list most are of machines that are gone, and in a text as
#: short as a name they are as likely to it as any.
_CANDIDATES = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "iso8859_2", "iso8859_7", "koi8_r",
    "cp932", "euc_jp", "gb18030", "big5", "cp949", "mac_roman",
)  # fmt: skip
#: What a text is taken for when it may be this as well as another: most of the single-byte text that there is.
#: Source: WHATWG Encoding Standard, where it is what is labelled Latin-1 and what is labelled ASCII.
_USUAL = "cp1252"
#: Share of the characters beyond ASCII that may be damaged in a text that is UTF-8 otherwise.
_MOST_DAMAGED = 0.1
#: Shares of the even and the odd bytes that are NUL in UTF-16 of a language in Latin letters: one many, one few.
_MOSTLY, _HARDLY = 0.7, 0.1
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
#: Nobody writes so much white space; several patterns of the readers take time by its square.
_LONG_BLANK = re.compile(r"[ \t]{200,}")
_LONG_BREAK = re.compile(r"(?:\r?\n){50,}")


def decode(content: bytes) -> str | None:
    """The text of a file; None when it is not text, or in an encoding that cannot be told.

    Blanks of hundreds of characters are cut: nothing is between them.
    """
    text = _decoded(content)
    if text is None:
        return None
    return _LONG_BREAK.sub("\n" * 3, _LONG_BLANK.sub(" ", text))


def _decoded(content: bytes) -> str | None:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return well_formed(content.decode(encoding, "replace"))
    sniffed = content[:_SNIFFED_BYTES]
    if b"\0" in sniffed:
        wide = _utf_16(sniffed)
        return well_formed(content.decode(wide, "replace")) if wide else None
    try:
        text = content.decode()
    except UnicodeDecodeError:
        encoding = _detected(content)
        if not encoding:
            return None
        text = content.decode(encoding, "replace")
    # A NUL further on would end a line for no one but confuse everyone.
    return text.replace("\0", "\ufffd")


def _utf_16(sniffed: bytes) -> str:
    """Which UTF-16 without a byte order mark it is; empty when it is none."""
    even, odd = sniffed[0::2].count(0), sniffed[1::2].count(0)
    half = len(sniffed) // 2
    if half and odd >= _MOSTLY * half and even <= _HARDLY * half:
        return "utf-16-le"
    return "utf-16-be" if half and even >= _MOSTLY * half and odd <= _HARDLY * half else ""


def _detected(content: bytes) -> str:
    """The encoding of what is not UTF-8; empty when it cannot be told."""
    from charset_normalizer import from_bytes

    found = _BEYOND_ASCII.search(content)
    start = found.start() if found else 0
    lossy = content[start : start + _DETECTED_BYTES].decode("utf-8", "replace")
    beyond = sum(not character.isascii() for character in lossy)
    if lossy.count("\ufffd") <= _MOST_DAMAGED * beyond:
        return "utf-8"
    # Some words before it too: what is looked for in a text is a language.
    sample = content[max(0, start - 200) : start + _DETECTED_BYTES]
    likely = [match.encoding for match in from_bytes(sample, cp_isolation=list(_CANDIDATES))]
    return _USUAL if _USUAL in likely else next(iter(likely), "")
