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
};

const BYTES = new Set(
  "requested total free allocated reserved unallocated process others private_pools allowed anon_rss total_vm shmem_rss".split(
    " ",
  ),
);

export const verdict = (name) => VERDICTS[name] ?? { label: name, says: "" };

export function sureness({ strength, confidence }) {
  const score = confidence.toFixed(2);
  return strength in STRENGTHS ? `${STRENGTHS[strength]} (${score})` : `${score} of 1`;
}

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

export function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${(bytes / 1024 ** power).toFixed(power ? 2 : 0)} ${units[power]}`;
}

export const factName = (name) => name.replace(/_ms$/, "").replaceAll("_", " ");

export function fact(name, value) {
  if (typeof value !== "number") return String(value);
  if (BYTES.has(name)) return size(value);
  return name.endsWith("_ms") ? `${value / 1000} s` : String(value);
}

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
