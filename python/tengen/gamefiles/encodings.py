"""Which encoding a text file is in. Files of games seldom say it, and some say the wrong one.

UTF-8 is known by itself. Of the others the first is taken under which the brackets of the file fit together: a second
byte of GB18030, Big5 or Shift-JIS may look like a bracket or a backslash, and then a wrong guess breaks the file.
"""

from __future__ import annotations

import codecs
import re

__all__ = ["encoding_of"]

GUESSES = ("latin-1", "gb18030", "cp932", "big5")
CHARSET = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_:.-]{1,40})\s*\]")
SGF_TOKEN = re.compile(r"\\.|[\[\]]", re.DOTALL)


def encoding_of(head: bytes, *, is_sgf: bool) -> str:
    """The encoding of a file that begins with these bytes. What it can't decode is to be replaced."""
    named = CHARSET.search(head[:2000]) if is_sgf else None
    for charset in ([named[1].decode()] if named else []) + ["utf-8-sig"]:
        if _decodes(head, charset):
            return charset
    if is_sgf:
        for charset in GUESSES:
            if _brackets_fit(head.decode(charset, errors="replace")):
                return charset
    return "latin-1"


def _decodes(head: bytes, charset: str) -> bool:
    """Whether the bytes are text in it; the last character may be cut off."""
    try:
        decoder = codecs.getincrementaldecoder(charset)()
        return isinstance(decoder.decode(head), str)
    except (LookupError, ValueError, TypeError):
        return False


def _brackets_fit(text: str) -> bool:
    """A value of SGF does not hold an unescaped bracket of either kind, and between values there is no text."""
    is_open = False
    for token in SGF_TOKEN.finditer(text):
        if token[0] == "[" and is_open and text[token.end() - 2 : token.end() - 1] == "]":
            return False
        if token[0] == "[":
            is_open = True
        elif token[0] == "]":
            if not is_open:
                return False
            is_open = False
    return True
