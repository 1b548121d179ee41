// Ranks of a run as a small picture, one row a rank, and their times as a table.

import { h } from "./dom.mjs";
import * as words from "./words.mjs";

const ROWS = 16; // of the picture; the table has all
const ORDER = ["first", "unknown", "collateral", "silent", "healthy"];

// The rows worth seeing first where not all fit; those shown stay in the order of their ranks.
function shown(ranks) {
  const chosen = ranks.toSorted((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role)).slice(0, ROWS);
  return ranks.filter((one) => chosen.includes(one));
}

// Seconds to a share of the span of all rows; null where there are no times to compare.
function scale(ranks) {
  const times = ranks.flatMap((one) => [one.first_time, one.last_time]).filter(Number.isFinite);
  const start = Math.min(...times);
  const span = Math.max(...times) - start;
  return times.length > 1 && span > 0 ? (time) => (time - start) / span : null;
}

// Shapes differ as well as colours: a cross failed first, a ring failed later, a broken line fell silent.
function row(one, share) {
  const timed = share && Number.isFinite(one.first_time) && Number.isFinite(one.last_time);
  const [from, to] = timed ? [share(one.first_time), share(one.last_time)] : [0, 1];
  const bar = h("span", { class: `fbt-span fbt-span--${timed ? one.role : "untimed"}` });
  const mark = h("span", { class: `fbt-mark fbt-mark--${one.role}` });
  // Through the object model: the page's policy takes no style attributes.
  bar.style.setProperty("left", `${from * 100}%`);
  bar.style.setProperty("width", `${Math.max(to - from, 0.004) * 100}%`);
  mark.style.setProperty("left", `${to * 100}%`);
  return h(
    "li",
    { class: `fbt-rank fbt-rank--${one.role}` },
    h("span", {}, words.rankName(one)),
    h("span", { class: "fbt-track", "aria-hidden": "true" }, bar, mark),
    h("span", {}, words.role(one)),
  );
}

function table(ranks) {
  const cells = (tag, texts) => texts.map((text) => h(tag, tag === "th" ? { scope: "col" } : {}, text));
  return h(
    "details",
    {},
    h("summary", {}, "Their times and lines"),
    h(
      "div",
      { class: "fbt-scroll", tabindex: "0", role: "region", "aria-label": "Ranks, their times and lines" },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, cells("th", ["Rank", "Part in it", "First line", "Last line", "Failure"]))),
        h(
          "tbody",
          {},
          ranks.map((one) =>
            h(
              "tr",
              {},
              cells("td", [
                words.rankName(one),
                words.role(one),
                words.clock(one.first_time),
                words.clock(one.last_time),
                one.failure ? `${one.failure.file}:${one.failure.line}` : "none seen",
              ]),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Nodes for `ranks` of the triage contract, or null where there is no more than one. */
export function timeline(ranks = [], leftOut = 0) {
  if (ranks.length < 2) return null;
  const rows = shown(ranks);
  const share = scale(rows);
  const missing = ranks.length - rows.length + leftOut;
  return [
    h(
      "figure",
      { class: "fbt-timeline" },
      h("ol", { class: "fbt-ranks" }, rows.map((one) => row(one, share))),
      h(
        "figcaption",
        {},
        share ? "From each rank’s first line to its last." : "The log has no times to compare.",
        missing ? ` ${words.plural(missing, "further rank")} not drawn.` : null,
      ),
    ),
    table(ranks),
  ];
}
