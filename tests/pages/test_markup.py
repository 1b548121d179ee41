"""Whatever a contributor writes, the page holds text, emphasis, lists, code and checked links."""

from __future__ import annotations

import pytest
from html_parts import rendered, tags
from hypothesis import given, settings
from hypothesis import strategies as st

from faultbook.pages import markup

HARMLESS = {
    "p", "em", "strong", "code", "pre", "ul", "ol", "li", "br", "hr", "blockquote", "div", "span", "a",
    "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "input", "label",
}  # fmt: skip
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "text\n\n<div onclick='x()'>\n\nmore\n\n</div>",
    "`a\n<div onclick=x>\n` b",
    "``a` <b onmouseover=x>`` `",
    "\\`<svg onload=x>\\`",
    "\\\\`<svg onload=x>\\\\`",
    "[x](javascript:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x]( javascript:alert(1) 'title')",
    "[x]\n\n[x]: javascript:alert(1)",
    "[x][y]\n\n  [y]: <javascript:alert(1)>",
    "<javascript:alert(1)>",
    "![x](https://elsewhere.example/pixel.png)",
    "![x][y]\n\n[y]: https://elsewhere.example/pixel.png",
    "**bold**{: onclick=alert(1) }",
    "`code`{ onclick=alert(1) }",
    "text\n{: onclick=alert(1) }",
    "[x](https://example.org){ onclick=alert(1) }",
    "```\n<script>alert(1)</script>",
    "```python onclick=x\n<script>\n```",
    "~~~\n<script>\n```\n</script>",
    "    <script>indented</script>",
    "\t<script>tab</script>",
    "- item\n\n    ```\n    x\n  <script>dedent</script>\n    ```",
    "# heading\n\nline\n====\n\nline\n---",
    ">#heading\n- # heading\n> - # heading",
    "&lt;script&gt; &#60;script&#62;",
    "\x02klzzwxh:0000\x03 \x02wzxhzdk:0\x03",
    "<!-- comment --><?php x ?><![CDATA[x]]>",
    "{% raw %}{{ 7 * 7 }}{% endraw %}",
    '--8<-- "/etc/passwd"',
    '=== "tab"\n\n    <b>x</b>',
    '!!! danger "<b>x</b>"\n    <i>y</i>',
    "| a | b |\n| --- | --- |\n| <b> | `c|d` |",
    "<a\nhref='javascript:x'>",
    "[<b>x</b>](https://example.org)",
    '[x](https://example.org/"onclick=alert(1)//)',
]


def assert_harmless(html: str) -> None:
    for tag, attributes in tags(html):
        assert tag in HARMLESS, f"<{tag}> in {html}"
        assert not any(name.startswith("on") or name in ("style", "src") for name in attributes), html
        href = attributes.get("href", "#")
        assert href.startswith(("https://", "#")) or href.endswith(".md") or ".md#" in href, html


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("write", [markup.safe, markup.inline, markup.plain, markup.fence, markup.code])
def test_hostile_text_is_only_text(write, text):
    assert_harmless(rendered(f"before\n\n{write(text)}\n\nafter"))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_text_inside_a_list_item(text):
    assert_harmless(rendered(f"1.  {markup.inline(text)}\n\n{markup.indented(markup.fence(text))}\n\n    after"))


PIECES = st.sampled_from(
    ["<", ">", "<b onclick=x>", "</b>",
     "`", "``", "```", "~~~", "\\", "{", "}", "{: onclick=x }", "[", "](", ")",
     "javascript:x", "https://e.org",
     "!", "\n", "\n\n", "    ", " ", "a", "*", "_", "|", "#", "- ", "1. ", ":", "&#60;",
     "<!--", "-->", "\t", "\"", "'", "\x02", "===", "---"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_no_combination_gets_through(text):
    assert_harmless(rendered(f"before\n\n{markup.safe(text)}\n\nafter\n\n- {markup.inline(text)}\n"))


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="`~a\n <{", max_size=30))
def test_a_fence_holds_whatever_is_in_it(code):
    html = rendered(f"{markup.fence(code)}\n\n*after*")
    assert_harmless(html)
    assert "<em>after</em>" in html


@pytest.mark.parametrize(
    "text, html",
    [
        ("a *b* **c** `d`", "<p>a <em>b</em> <strong>c</strong> <code>d</code></p>"),
        ("`std::vector<int>`", "<p><code>std::vector&lt;int&gt;</code></p>"),
        ("[x](https://example.org/a_b#c)", '<p><a href="https://example.org/a_b#c">x</a></p>'),
        ("<https://example.org/>", '<p><a href="https://example.org/">https://example.org/</a></p>'),
        ("requested < free && x > 2", "<p>requested &lt; free &amp;&amp; x &gt; 2</p>"),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"),
        ("`{requested:size}` and {x}", "<p><code>{requested:size}</code> and {x}</p>"),
    ],
)
def test_ordinary_markdown_keeps_its_meaning(text, html):
    assert rendered(markup.safe(text)).replace("&#123;", "{").replace("&#125;", "}") == html


def test_a_fenced_block_keeps_its_code_and_language():
    html = rendered(markup.safe("Before:\n\n```python\nif a < b:\n    print('`')\n```\n\nafter"))
    assert 'class="language-python highlight"' in html
    assert "print" in html and "<p>after</p>" in html


def test_a_pipe_does_not_end_a_table_cell():
    html = rendered(f"| a | b |\n| --- | --- |\n| {markup.inline('x | `y|z`')} | {markup.plain('p|q')} |")
    cells = html.count("<td")
    assert cells == 2 and "x | <code>y|z</code>" in html.replace("&#124;", "|") and "p|q" in html.replace("&#124;", "|")


@pytest.mark.parametrize("url", ["javascript:x", "http://plain.example", "//elsewhere.example", "data:text/html,x"])
def test_a_link_to_anything_else_is_only_its_label(url):
    assert rendered(markup.link("label", url)) == "<p>label</p>"


def test_words_of_leaves_the_words():
    assert markup.words_of("The `nn.Embedding` *index* is [too](https://e.org) large_value") == (
        "The nn.Embedding index is too large_value"
    )


PAGES = {"host-oom-killed": "../memory/host-oom-killed.md"}
LINKED = "[`host-oom-killed`](../memory/host-oom-killed.md)"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("It answers `host-oom-killed`.", f"It answers {LINKED}."),
        ("| `host-oom-killed` | `a-b` |", f"| {LINKED} | `a-b` |"),
        ("[see `host-oom-killed` there](x.md) `host-oom-killed`", f"[see `host-oom-killed` there](x.md) {LINKED}"),
        ("``host-oom-killed``", "``host-oom-killed``"),
        ("host-oom-killed", "host-oom-killed"),
        ("```\n`host-oom-killed`\n```\n`host-oom-killed`", f"```\n`host-oom-killed`\n```\n{LINKED}"),
        (
            "    ````text\n    ```\n    `host-oom-killed`\n    ````\n",
            "    ````text\n    ```\n    `host-oom-killed`\n    ````\n",
        ),
    ],
)
def test_an_id_in_code_becomes_a_link_outside_of_code_blocks_and_links(text, expected):
    assert markup.with_links(text, PAGES) == expected
