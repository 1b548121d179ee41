"""The MkDocs hook: pages and assets as generated files, edit links, and each page's content security policy.

MkDocs loads this file by its path, so imports are absolute.
"""

from __future__ import annotations

import base64
import logging
import re
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from faultbook import site
from faultbook.catalog import load_catalog
from faultbook.pages import draft
from faultbook.pages.settings import REPO_URL, SITE_URL
from faultbook.problem import Severity, render_text
from faultbook.rendering import PageCache, SearchCache, TemplateCache

log = logging.getLogger("mkdocs.hooks.faultbook")
_SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<code>.*?)</script>", re.DOTALL)
_CHARSET = re.compile(r'<meta charset="?utf-8"?\s*/?>')
# `mkdocs serve` adds its reload script, different each time, after the hooks have run.
_served = {"now": False}
_rendered = PageCache()
_indexed = SearchCache()
_templates = TemplateCache()


def on_startup(command: str, dirty: bool) -> None:
    _served["now"] = command == "serve"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.site_url = config.site_url or SITE_URL  # `serve` has set its own by now
    config.repo_url, config.repo_name = REPO_URL, "Source"
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    root = Path(config.config_file_path).parent
    catalog, problems = load_catalog(root, content=False)  # `faultbook check` and `build` do the rest
    _report([problem for problem in problems if problem.severity is Severity.ERROR])
    pages = site.pages(catalog)
    # Only `serve` comes this far with errors; the author's open tab stays on a page that reloads.
    for page in (*pages, *draft.pages(problems, {page.path for page in pages})):
        files.append(File.generated(config, page.path, content=page.text))
    for artifact in site.artifacts(catalog):
        files.append(File.generated(config, f"{site.ASSETS}/{artifact.path}", content=artifact.data))
    for path, source in site.browser_files(root):
        files.append(File.generated(config, path, abs_src_path=str(source)))
    return files


def _report(errors: list) -> None:
    if errors and not _served["now"]:
        raise PluginError(f"the entries have errors\n{render_text(errors)}")
    if errors:
        log.warning("each entry with errors has a page that lists them instead\n%s", render_text(errors))


def on_env(env: Environment, config: MkDocsConfig, files: Files) -> Environment:
    env.bytecode_cache = _templates
    if _served["now"] and (search := config.plugins.get("material/search")):
        _indexed.attach(search.search_index)
    return env


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    source = page.meta.get("source")
    if not page.file.generated_by:
        source = f"theme/pages/{page.file.src_uri}"
    page.edit_url = f"{REPO_URL}/edit/main/{source}" if source else None
    if _served["now"]:
        _rendered.attach(page, markdown, files)
    return markdown


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    # Only the theme's scripts are hashed: one smuggled into the content must stay forbidden.
    return with_policy(output, output.replace(page.content or "", ""))


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    return with_policy(output_content, output_content) if template_name.endswith(".html") else output_content


def with_policy(page: str, theme: str) -> str:
    """`page` with its policy as the second thing in its head; `theme` is the part whose scripts may run."""
    hashes = [_hash(found["code"]) for found in _SCRIPT.finditer(theme) if _is_inline(found["attributes"])]
    tag = f'<meta http-equiv="Content-Security-Policy" content="{policy(hashes)}">'
    return _CHARSET.sub(lambda charset: charset[0] + tag, page, count=1)


def policy(hashes: list[str]) -> str:
    inline = "'unsafe-inline'" if _served["now"] else " ".join(sorted(set(hashes)))
    return (
        f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {inline}; connect-src 'self'; "
        "worker-src 'self' blob:; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "base-uri 'none'; form-action 'none'"
    )


def _is_inline(attributes: str) -> bool:
    return "src=" not in attributes and "application/json" not in attributes


def _hash(code: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(code.encode()).digest()).decode()}'"
