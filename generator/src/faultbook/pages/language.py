"""The page about the signature language. Its tables come from the matcher's own, so that they cannot differ."""

from __future__ import annotations

from ..match.template import HOLES
from ..match.types import KINDS
from .page import Page, page
from .render import page as fill

SOURCE = "generator/src/faultbook/pages/templates/language.md.j2"
# A text each hole type takes, and what a signature gets to compare. A test reads each example with its type.
EXAMPLES = {
    "size": ("1.50 GiB", "bytes"),
    "int": ("-9", "a whole number"),
    "number": ("3.0e-4", "a number; also nan and inf"),
    "hex": ("0x7f3a", "text"),
    "word": ("WorkNCCL(SeqNum=812)", "text without white space"),
    "ident": ("torch.OutOfMemoryError", "text: a dotted name"),
    "path": ("/dev/shm/torch_91_2", "text without white space and quotes"),
    "quoted": ("'srcIndex < srcSelectDimSize'", "text, with its quotes"),
    "device": ("cuda:0", "text"),
    "duration": ("600000 milliseconds", "milliseconds"),
    "text": ("anything at all", "text of at most 300 characters, as few as fit"),
}


def language() -> Page:
    """`signature-language.md`."""
    holes = [(name, *EXAMPLES[name]) for name in HOLES]
    about = "How a signature says what it looks for in a log: clauses, templates, comparisons, events and frames."
    body = fill("language", holes=holes, kinds=KINDS)
    return page("signature-language.md", "The signature language", about, body, source=SOURCE, search={"boost": 0.5})
