// The theme wraps each code block's copy button in a <nav>, as many landmarks of one name as there are blocks.
// It does so when a block first comes into view, hence the observer. Delete once the theme uses another element.

function tame(root) {
  for (const nav of root.querySelectorAll("nav.md-code__nav:not([role])")) nav.setAttribute("role", "presentation");
}

const article = document.querySelector("article");
if (article) {
  new MutationObserver(() => tame(article)).observe(article, { childList: true, subtree: true });
  tame(article);
}
