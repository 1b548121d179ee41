// The wording of an answer: pure functions from the triage contract to text. No DOM, no log text of its own.

/** Stages of protocol.mjs as a reader sees them while waiting. */
export const STAGES = {
  download: { step: "Download", says: "Downloading Python: 13 MB, once" },
  python: { step: "Start", says: "Starting Python in this page" },
  index: { step: "Signatures", says: "Loading the signatures of every entry" },
  match: { step: "Read", says: "Reading the log" },
};

const VERDICTS = {
  match: {
    label: "Match",
    says:
      "Everything this entry’s signature asks for is in the log. That names the failure; it does not by itself " +
      "confirm the cause. The entry says how to.",
  },
  ambiguous: {
    label: "Not settled",
    says: "The log fits, but what would settle it is not in there. Take this as a lead, not as an answer.",
  },
  unknown: {
    label: "Unknown failure",
    title: "No entry describes this failure",
    says:
      "Something failed here, and none of the known signatures holds for it. What failed first is shown below; " +
      "a new entry can be written from it.",
    more: { label: "How to write an entry", path: "contributing/" },
  },
  clean: {
    label: "No failure found",
    title: "Nothing in this log looks like a failure",
    says:
      "When a job died silently, the reason is often elsewhere: in the log of another rank, in dmesg, or in the " +
      "scheduler’s own log. Add those files to this one.",
  },
};

const STRENGTHS = {
  decisive: "decisive, hardly anything else prints this",
  strong: "strong, few other causes print this",
  suggestive: "suggestive, other causes print this too",
  reader: "your answer; the log itself does not show it",
};

const BYTES = new Set(
  "requested total free allocated reserved unallocated process others private_pools allowed anon_rss total_vm shmem_rss".split(
    " ",
  ),
);
const LABELS = {
  total: "memory of the device",
  free: "free memory",
  allocated: "in live tensors",
  reserved: "held by the allocator",
  unallocated: "held, but in no tensor",
  process: "used by this process",
  others: "used by other processes",
  private_pools: "in CUDA graph pools",
  allowed: "allowed to this process",
  seq: "sequence number",
  op: "collective",
  group: "process group",
  ran_ms: "waited",
  caused_by: "raised from",
  type: "exception",
  command: "process name",
  anon_rss: "resident memory",
  total_vm: "virtual memory",
  shmem_rss: "shared memory",
  quantity: "what grows",
  points: "progress lines",
  count: "lines that say so",
  slope: "growth a line",
};
// Of use to signatures only.
const INTERNAL = new Set(["wording", "monotonic", "reporter", "scope"]);
const OF_GROWTH = new Set(["first", "last", "slope"]);
const UNIT = /^\W{0,6}\d[\d.]* ?([KMGT]i?B|[kKMG]B|bytes)\b/;

// The matcher hands a growing size over as bytes; that it was one is to be seen in the line, `held 5.01 MiB`.
function isSize(quantity, lines) {
  const after = lines.map((text) => text.split(quantity)[1] ?? "");
  return after.some((text) => UNIT.test(text));
}

export const verdict = (name) => VERDICTS[name] ?? { label: name, says: "" };

/** In words: the score of `--format json` compares the answers of one log only, and says nothing by itself. */
export const sureness = ({ strength }) => STRENGTHS[strength] ?? strength ?? "";

export const PRECISE_FIRST = "A more precise entry leads a more general one, even where that one’s lines are stronger.";

/** What stands above the answer's title. `asked`: questions are still open; `replies`: given by the reader. */
export function standing({ verdict: name, replies = [], settle = [] }) {
  if (!replies.length) return verdict(name).label;
  return name === "match" && !settle.length ? "Settled by you" : "Narrowed down by you";
}

export const ANSWERS = { yes: "Yes", no: "No" };

const ACCOUNTS = {
  "over-size": "more was asked for than can be had",
  fragmentation: "in pieces",
  "foreign-process": "held by another process",
  limit: "a limit set for this process",
  spill: "spilled into shared memory",
  "no-size": "no size in the report",
  host: "host memory, not the GPU’s",
  pinned: "pinned host memory",
};

export const account = ({ kind }) => ACCOUNTS[kind] ?? null;

/** Does the entry whose page this is explain the log? One sentence, or null where no page was named. */
export function aboutThisEntry(entry, { verdict: name, diagnoses }) {
  if (!entry) return null;
  const rank = diagnoses.findIndex(({ id }) => id === entry);
  if (rank > 0) return "Less likely this page’s entry: it fits too, but not as well.";
  if (rank < 0) return "Not this page’s entry: its signature does not hold for this log.";
  if (name === "match") return "Yes, it is this page’s entry.";
  return "Perhaps this page’s entry: it fits best, but the log does not settle it.";
}

export function place({ file, line, rank }) {
  const where = line ? `${file}:${line}` : file;
  return rank === null || rank === undefined ? where : `${where} · rank ${rank}`;
}

const ROLES = {
  first: "failed first",
  collateral: "failed after it",
  unknown: "failed, order not told",
  silent: "silent before it failed",
  healthy: "no failure seen",
};

const known = (value) => value !== null && value !== undefined;

export const rankName = ({ rank, node, file }) =>
  known(rank) ? `rank ${rank}${node ? ` (${node})` : ""}`.slice(0, 22) : (file || node || "?").split("/").at(-1).slice(-18);

export const role = ({ role: name, failure }) =>
  name === "unknown" && !failure ? "fell silent, order not told" : (ROLES[name] ?? name);

/** `02:14:07` of seconds since midnight or since the epoch (UTC). */
export function clock(time) {
  if (!Number.isFinite(time)) return "no time";
  const second = Math.floor(time % 86400);
  return [second / 3600, (second / 60) % 60, second % 60].map((n) => String(Math.floor(n)).padStart(2, "0")).join(":");
}

export function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${(bytes / 1024 ** power).toFixed(power ? 2 : 0)} ${units[power]}`;
}

const factName = (name) => LABELS[name] ?? name.replace(/_ms$/, "").replaceAll("_", " ");

// Four digits that count; the whole part is never rounded.
const rounded = (value) => String(Number.isInteger(value) ? value : Number(value.toPrecision(Math.abs(value) < 1e4 ? 4 : 15)));

function fact(name, value, grows) {
  if (typeof value !== "number") return String(value);
  if (BYTES.has(name) || (grows && OF_GROWTH.has(name))) return size(value);
  return name.endsWith("_ms") ? `${rounded(value / 1000)} s` : rounded(value);
}

/** `[[label, value]]` of what was read from the log, for a reader; `lines` are those that show it. */
export function facts(values, lines = []) {
  const grows = Boolean(values?.quantity) && isSize(values.quantity, lines);
  return Object.entries(values ?? {})
    .filter(([name]) => !INTERNAL.has(name))
    .map(([name, value]) => [factName(name), fact(name, value, grows)]);
}

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
