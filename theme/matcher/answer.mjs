// A diagnosis (the triage contract) as DOM nodes. Every sentence comes from words.mjs or from the entry.

import { codeBlock, copyButton, h, inline } from "./dom.mjs";
import { timeline } from "./timeline.mjs";
import * as words from "./words.mjs";

const LONGEST_LINE = 800;
const SHOWN_AT_FIRST = 4;

const GLANCE = 160; // of a line whose full text is evidence already, or beside the point

const clip = (text, longest = LONGEST_LINE) => (text.length > longest ? `${text.slice(0, longest)} …` : text);

// A part with nothing to say is left out.
const part =
  (level) =>
  (title, ...children) => {
    const nodes = children.flat().filter(Boolean);
    return nodes.length
      ? h("section", { class: "fbt-part" }, h(`h${level}`, { class: "fbt-name" }, title), nodes)
      : null;
  };

function line(evidence) {
  return h(
    "li",
    {},
    h(
      "p",
      { class: "fbt-where" },
      h("span", { class: "fbt-place" }, words.place(evidence)),
      evidence.why && inline(evidence.why),
    ),
    h("pre", {}, h("code", {}, clip(evidence.text))),
  );
}

function lines(evidence, kind) {
  if (!evidence?.length) return null;
  const shown = h(
    "ol",
    { class: `fbt-lines fbt-lines--${kind}` },
    evidence.slice(0, SHOWN_AT_FIRST).map(line),
  );
  const rest = evidence.slice(SHOWN_AT_FIRST);
  if (!rest.length) return shown;
  const more = h("ol", { class: `fbt-lines fbt-lines--${kind}`, start: SHOWN_AT_FIRST + 1 }, rest.map(line));
  return [shown, h("details", {}, h("summary", {}, words.plural(rest.length, "more line")), more)];
}

function first(initiating) {
  if (!initiating) return null;
  const who = [
    initiating.rank !== null && initiating.rank !== undefined && `Rank ${initiating.rank}`,
    initiating.node && `node ${initiating.node}`,
  ].filter(Boolean);
  return [
    h("p", {}, who.length ? h("strong", {}, `${who.join(", ")}: `) : null, clip(initiating.what, GLANCE)),
    h(
      "p",
      { class: "fbt-where" },
      h("span", { class: "fbt-place" }, words.place({ ...initiating, rank: null })),
      initiating.basis,
    ),
  ];
}

function collateral(items) {
  if (!items?.length) return null;
  const rows = items.map((item) =>
    h("li", {}, h("span", { class: "fbt-place" }, words.place(item)), clip(item.what, GLANCE)),
  );
  return h(
    "details",
    { open: items.length <= SHOWN_AT_FIRST },
    h("summary", {}, `${words.plural(items.length, "failure")} that followed from it`),
    h("ul", { class: "fbt-rows" }, rows),
  );
}

// Where an answer leads: to an entry, or to a failure that has none.
const leadsTo = (id, name, entries) => (id ? (entries[id]?.title ?? id) : name);

function question(one, entries, settle) {
  const { key, question: text, command, if_yes: yes, if_no: no, name } = one;
  const reply = (answer, id) => [
    h(
      "button",
      { type: "button", class: "fbt-button", onclick: () => settle(key, answer) },
      words.ANSWERS[answer],
    ),
    h("span", { class: "fbt-aside" }, leadsTo(id, name, entries)),
  ];
  return h(
    "li",
    {},
    h("p", { class: "fbt-question" }, inline(text)),
    command ? codeBlock(command) : null,
    h("div", { class: "fbt-replies", role: "group", "aria-label": text }, reply("yes", yes), reply("no", no)),
  );
}

function memory(account) {
  if (!account || account.kind === "unknown") return null;
  const kind = words.account(account);
  return [
    h("p", {}, kind ? h("strong", {}, `${kind[0].toUpperCase()}${kind.slice(1)}. `) : null, inline(account.says)),
    h("p", { class: "fbt-where" }, h("span", { class: "fbt-place" }, words.place(account))),
  ];
}

function related(items, href) {
  if (!items?.length) return null;
  const rows = items.map((near) =>
    h("li", {}, h("a", { href: href(near) }, near.title), h("p", { class: "fbt-where" }, clip(near.why))),
  );
  return [h("p", {}, "None of these matches. They share a sign with this log."), h("ul", { class: "fbt-rows" }, rows)];
}

function fix({ fix: { text, command } = {} }, href) {
  if (!text) return null;
  return [
    h("p", {}, inline(text)),
    command ? codeBlock(command) : null,
    h("p", {}, h("a", { href }, "How to confirm it, and every fix with its cost")),
  ];
}

// The entries that `id` is a more precise case of.
const general = (id, entries) =>
  (entries[id]?.refines ?? []).flatMap((one) => [one, ...general(one, entries)]);

function others(diagnoses, link, above) {
  const rows = diagnoses.map((found) =>
    h(
      "li",
      {},
      link(found),
      h("span", { class: "fbt-aside" }, words.sureness(found)),
      found.says ? h("p", {}, inline(found.says)) : null,
    ),
  );
  const passed = diagnoses.some(({ id }) => above.includes(id));
  return rows.length
    ? [passed ? h("p", {}, words.PRECISE_FIRST) : null, h("ul", { class: "fbt-rows" }, rows)]
    : null;
}

function facts(values, evidence = []) {
  const pairs = words.facts(
    values,
    evidence.map(({ text }) => text),
  );
  if (!pairs.length) return null;
  return h(
    "dl",
    { class: "fbt-facts" },
    pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

function notes(items) {
  return items?.length
    ? h(
        "ul",
        { class: "fbt-rows" },
        items.map((note) => h("li", {}, note)),
      )
    : null;
}

function replied(replies) {
  return h(
    "ul",
    { class: "fbt-rows" },
    replies.map(({ question: text, answer }) =>
      h("li", {}, h("strong", {}, `${words.ANSWERS[answer]}: `), inline(text)),
    ),
  );
}

function head(diagnosis, lead, { entry, level, link, site }) {
  const { replies = [] } = diagnosis;
  const { title, says, more } = words.verdict(diagnosis.verdict);
  const byReader = replies.length > 0;
  const own = byReader ? null : words.aboutThisEntry(entry, diagnosis);
  const meta = lead?.severity && [
    h("span", { class: `fb-severity fb-${lead.severity}` }, lead.severity),
    lead.strength ? h("span", {}, `Evidence: ${words.sureness(lead)}`) : null,
  ];
  return h(
    "header",
    { class: "fbt-head" },
    h("p", { class: "fbt-verdict" }, words.standing(diagnosis)),
    h(`h${level}`, { class: "fbt-title", tabindex: "-1" }, lead ? link(lead) : title),
    own ? h("p", { class: "fbt-own" }, own) : null,
    meta ? h("p", { class: "fbt-meta" }, meta) : null,
    byReader ? replied(replies) : h("p", { class: "fbt-says" }, says),
    more ? h("p", {}, h("a", { href: new URL(more.path, site).href }, more.label)) : null,
  );
}

/**
 * The answer as one element. `entries` {id: {title, url, severity, fix, refines}}, `entry` the id of the page or null,
 * `level` of its heading, `site` the site's root URL; `settle(key, "yes" | "no")` answers a question, `takeBack()` takes
 * the last answer back, `reset()` is called for another log, `markdown()` gives the text to copy.
 */
export function renderAnswer(diagnosis, { entries, entry, level, site, settle, takeBack, reset, markdown }) {
  const href = ({ url }) => new URL(url, site).href;
  const link = (found) => h("a", { href: href(found) }, found.title ?? found.id);
  const { diagnoses, settle: questions = [], replies = [] } = diagnosis;
  const [lead, ...rest] = diagnoses;
  const named = part(level + 1);
  const button = (label, onclick) =>
    h("button", { type: "button", class: "fbt-button fbt-button--quiet", onclick }, label);
  return h(
    "article",
    { class: `fbt-answer fbt-answer--${diagnosis.verdict}` },
    head(diagnosis, lead, { entry, level, link, site }),
    named(
      "What would settle it",
      questions.length
        ? h(
            "ol",
            { class: "fbt-questions" },
            questions.map((one) => question(one, entries, settle)),
          )
        : null,
    ),
    named(
      "What speaks for it",
      lead?.says ? h("p", {}, inline(lead.says)) : null,
      lines(lead?.evidence, "for"),
    ),
    named("What speaks against it", lines(lead?.against, "against")),
    named("What the report’s own numbers say", memory(diagnosis.memory)),
    named("Fix", lead ? fix(lead, href(lead)) : null),
    named(
      "What failed first",
      first(diagnosis.initiating),
      timeline(diagnosis.ranks, diagnosis.ranks_left_out),
      collateral(diagnosis.collateral),
    ),
    named("Other candidates", others(rest, link, replies.length ? [] : general(lead?.id, entries))),
    named("Not a match, but related", related(diagnosis.related, href)),
    named("Read from the log", facts(diagnosis.facts, lead?.evidence)),
    named("Notes on reading", notes(diagnosis.notes)),
    h(
      "footer",
      { class: "fbt-foot" },
      copyButton("Copy as Markdown", markdown),
      replies.length ? button("Take it back", takeBack) : null,
      button("Another log", reset),
    ),
  );
}
