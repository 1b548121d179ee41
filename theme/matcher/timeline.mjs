// Ranks of a run as a small picture, one row a rank, and the same as a table for whoever cannot see it.

import { h, svg } from "./dom.mjs";
import * as words from "./words.mjs";

const ROWS = 16; // of the picture; the table has all
const HEIGHT = 20;
const NAMES = 120;
const BARS = 300;
const WORDS = 220;
const ORDER = ["first", "unknown", "collateral", "silent", "healthy"];

// The rows worth seeing first where not all fit; those shown stay in the order of their ranks.
function shown(ranks) {
  const chosen = ranks.toSorted((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role)).slice(0, ROWS);
  return ranks.filter((one) => chosen.includes(one));
}

// Seconds to pixels over the span of all rows; null where there are no times to compare.
function scale(ranks) {
  const times = ranks.flatMap((one) => [one.first_time, one.last_time]).filter(Number.isFinite);
  const start = Math.min(...times);
  const span = Math.max(...times) - start;
  return times.length > 1 && span > 0 ? (time) => NAMES + ((time - start) / span) * BARS : null;
}

// Shapes differ as well as colours: a cross failed first, a ring failed later, a broken line fell silent.
function mark(role, x, y) {
  const name = `fbt-mark fbt-mark--${role}`;
  if (role === "first")
    return svg("path", { class: name, d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` });
  if (role === "collateral" || role === "unknown") return svg("circle", { class: name, cx: x, cy: y, r: 4 });
  return null;
}

function row(one, place, toX) {
  const y = place * HEIGHT + HEIGHT / 2;
  const timed = toX && Number.isFinite(one.first_time) && Number.isFinite(one.last_time);
  const [from, to] = timed ? [toX(one.first_time), toX(one.last_time)] : [NAMES, NAMES + BARS];
  return svg(
    "g",
    {},
    svg("text", { x: 0, y: y + 4 }, words.rankName(one)),
    svg("path", {
      class: `fbt-span fbt-span--${timed ? one.role : "untimed"}`,
      d: `M${from} ${y}H${Math.max(to, from + 1)}`,
    }),
    mark(one.role, to, y),
    svg("text", { x: NAMES + BARS + 16, y: y + 4, class: `fbt-role--${one.role}` }, words.role(one)),
  );
}

function table(ranks) {
  const cells = (tag, texts) => texts.map((text) => h(tag, tag === "th" ? { scope: "col" } : {}, text));
  return h(
    "details",
    {},
    h("summary", {}, "The same as a table"),
    h(
      "div",
      { class: "fbt-scroll", tabindex: "0", role: "region", "aria-label": "Ranks as a table" },
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
  const toX = scale(rows);
  const missing = ranks.length - rows.length + leftOut;
  const width = NAMES + BARS + WORDS;
  const height = rows.length * HEIGHT;
  return [
    h(
      "figure",
      { class: "fbt-timeline" },
      svg(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words.ranksInWords(ranks, leftOut) },
        rows.map((one, place) => row(one, place, toX)),
      ),
      h(
        "figcaption",
        {},
        toX ? "From each rank’s first line to its last." : "The log has no times to compare.",
        missing ? ` ${words.plural(missing, "further rank")} not drawn.` : null,
      ),
    ),
    table(ranks),
  ];
}
