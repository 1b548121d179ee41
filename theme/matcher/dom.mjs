// Small builders over the DOM. Text, a log's above all, only ever becomes text nodes: nothing here parses HTML.

/** `h("p", {class: "x", onclick: f}, "text", node, null)`: false and null attributes and children are left out. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const INLINE =
  /`(?<code>[^`]+)`|\*\*(?<strong>[^*]+)\*\*|\*(?<em>[^*\s][^*]*)\*|\[(?<label>[^\]]+)\]\([^)]*\)/g;

/** The inline Markdown that entries use (code, bold, emphasis, the label of a link) as nodes. */
export function inline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const { label, ...marked } = match.groups;
    const [tag, inner] = Object.entries(marked).find(([, found]) => found) ?? [];
    nodes.push(text.slice(end, match.index), tag ? h(tag, {}, inner) : label);
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)];
}

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Plain http on another machine's address has no clipboard API.
  const area = h("textarea", { class: "fbt-hidden", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("the browser refused");
}

/** A button that copies `text()` and says so, also to a screen reader: its own label is a live region. */
export function copyButton(label, text) {
  const caption = h("span", { "aria-live": "polite" }, label);
  let timer;
  const onclick = async () => {
    caption.textContent = await copy(text()).then(
      () => "Copied",
      () => "Could not copy",
    );
    clearTimeout(timer);
    timer = setTimeout(() => (caption.textContent = label), 2000);
  };
  return h("button", { type: "button", class: "fbt-button fbt-button--quiet", onclick }, caption);
}

export function codeBlock(code) {
  return h(
    "div",
    { class: "fbt-code" },
    h("pre", { tabindex: "0" }, h("code", {}, code)),
    copyButton("Copy", () => code),
  );
}
