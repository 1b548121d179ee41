// The box a log is put into, and the line that says what is going on: elements only, widget.mjs makes them work.

import { h } from "./dom.mjs";
import { STAGES, size } from "./words.mjs";

const PLACEHOLDER =
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 15.77 GiB …";
const HINT =
  "Paste a log, or drop its files anywhere on this page: one per rank if you have them, .gz and .zip too. " +
  "Reading starts at once.";
const PRIVACY = "Your log stays on this page: Python reads it right here, and the page’s security policy lets nothing out.";

export const button = (label, kind = "") => h("button", { type: "button", class: `fb-button ${kind}` }, label);

/** Elements by name; `form`, `message`, `working` and `result` go into the page in this order. */
export function buildBox(entry) {
  const name = `fb-${entry ?? "log"}`;
  const box = {
    picker: h("input", { type: "file", multiple: true, hidden: true, tabindex: "-1", "aria-label": "Log files" }),
    text: h("textarea", {
      id: `${name}-text`, rows: "7", spellcheck: "false", autocomplete: "off", autocapitalize: "off",
      placeholder: PLACEHOLDER, "aria-describedby": `${name}-hint`,
    }),
    files: h("ul", { class: "fb-files", "aria-label": "Files to read" }),
    choose: button("Choose files"),
    sample: button("Try a recorded log", "fb-button--quiet"),
    submit: h("button", { type: "submit", class: "fb-button fb-button--primary" }, "Diagnose"),
    message: h("p", { class: "fb-message", role: "status" }),
    cancel: button("Stop", "fb-button--quiet"),
    steps: h("ol", { class: "fb-steps", "aria-hidden": "true" }),
    result: h("div", { class: "fb-result" }),
  };
  box.sample.hidden = true;
  box.steps.append(...Object.entries(STAGES).map(([stage, { step }]) => h("li", { "data-stage": stage }, step)));
  box.working = h("div", { class: "fb-working", hidden: true }, box.steps, box.cancel);
  box.form = h(
    "form",
    { class: "fb-box", "aria-labelledby": `${name}-title` },
    h("h2", { class: "fb-heading", id: `${name}-title` }, entry ? "Is this what broke your run?" : "What broke your run?"),
    h("p", { class: "fb-hint", id: `${name}-hint` }, HINT),
    h("label", { class: "fb-label", for: `${name}-text` }, "Log"),
    box.text,
    box.files,
    h("div", { class: "fb-bar" }, box.choose, box.picker, box.sample, box.submit),
    h("p", { class: "fb-privacy" }, PRIVACY),
  );
  return box;
}

/** Marks `stage` as the one at work, those before it as done; null hides the steps. */
export function showStage(box, stage) {
  box.working.hidden = stage === null;
  const steps = [...box.steps.children];
  const at = steps.findIndex((step) => step.dataset.stage === stage);
  steps.forEach((step, place) => {
    step.className = place < at ? "fb-step--done" : place === at ? "fb-step--now" : "";
  });
}

/** The chips under the text box; `remove(file)` takes one away. */
export function showFiles(box, files, remove) {
  const chip = (file) => {
    const take = h("button", { type: "button", class: "fb-remove", "aria-label": `Remove ${file.name}`, onclick: () => remove(file) }, "×");
    return h("li", {}, h("span", { class: "fb-place" }, file.name), h("span", { class: "fb-aside" }, size(file.size)), take);
  };
  box.files.replaceChildren(...files.map(chip));
}

// Python's errors arrive as a traceback: its last line is for everyone, the rest for a bug report.
const lastLine = (text) => text.trim().split("\n").pop();

/** The tool broke: says so, in words that nobody can take for an answer about the log. */
export function renderFailure({ message, stage }, retry) {
  const unloaded = ["download", "python", "index"].includes(stage);
  const hint = unloaded ? "What it needs from this site did not load or did not start. Reload the page to try afresh." : null;
  const report = message.trim().includes("\n");
  return h(
    "article",
    { class: "fb-answer fb-answer--failed", role: "alert" },
    h(
      "header",
      { class: "fb-head" },
      h("p", { class: "fb-verdict" }, "No answer"),
      h("h3", { class: "fb-title", tabindex: "-1" }, "The matcher failed, so this says nothing about your log"),
      h("p", { class: "fb-says" }, hint, " ", h("code", {}, lastLine(message))),
      report ? h("details", {}, h("summary", {}, "Report of the error"), h("pre", { tabindex: "0" }, h("code", {}, message))) : null,
      h("p", {}, "In a terminal the same matcher is ", h("code", {}, "faultbook triage train.log"), "."),
      h("button", { type: "button", class: "fb-button", onclick: retry }, "Try again"),
    ),
  );
}
