"""The one Jinja environment. What a template inserts is escaped as plain text unless `markup` made it."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from . import markup, words


def _finalize(value: object) -> object:
    return value if isinstance(value, Markup) else markup.plain("" if value is None else value)


@cache
def _environment(folder: str) -> Environment:
    environment = Environment(
        loader=PackageLoader("faultbook.pages", folder),
        undefined=StrictUndefined,
        finalize=_finalize,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        safe=markup.safe,
        inline=markup.inline,
        code=markup.code,
        fence=markup.fence,
        link=markup.link,
        indented=markup.indented,
        trusted=Markup,
    )
    environment.globals.update(words=words)
    return environment


def section(name: str, **values: object) -> str:
    """The template `sections/<name>.md.j2` filled with `values`."""
    return _environment("sections").get_template(f"{name}.md.j2").render(values).strip("\n")


def page(name: str, **values: object) -> str:
    """The template `templates/<name>.md.j2` filled with `values`."""
    return _environment("templates").get_template(f"{name}.md.j2").render(values).strip("\n") + "\n"
