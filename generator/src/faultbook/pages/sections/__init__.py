"""The parts of an entry page, in page order. Each is one module and one template; none knows another.

A section is `render(entry, proof, catalog) -> str`: Markdown, empty when the entry has no facts for it.
"""

from . import (
    affected_systems,
    alerts,
    calculators,
    confirm,
    confused_with,
    diagnose_locally,
    faq,
    fix,
    head,
    observe,
    paste_box,
    perspectives,
    proof,
    quick_answer,
    references,
    related,
    report,
    signature,
    symptoms,
    verify,
    what_it_is,
)

SECTIONS = (
    head,
    quick_answer,
    paste_box,
    what_it_is,
    calculators,
    observe,
    symptoms,
    affected_systems,
    confirm,
    confused_with,
    signature,
    fix,
    verify,
    proof,
    perspectives,
    alerts,
    faq,
    related,
    references,
    diagnose_locally,
    report,
)
