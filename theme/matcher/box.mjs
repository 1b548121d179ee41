// The box a log is put into, and the line that says what is going on: elements only, widget.mjs makes them work.

import { h } from "./dom.mjs";
import { STAGES, size } from "./words.mjs";

const PLACEHOLDER =
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 15.77 GiB …";
const HINT =
  "Paste a log, or drop its files anywhere on this page: one a rank if you have them, .gz and .zip too. " +
  "Reading starts at once.";
const PRIVACY = "Read by Python inside this page. The page’s security policy lets nothing out.";

export const button = (label, kind = "") =>
  h("button", { type: "button", class: `fbt-button ${kind}` }, label);

/** Elements by name; `form`, `message`, `working` and `result` go into the page in this order. */
export function buildBox(entry) {
  const name = `fbt-${entry ?? "log"}`;
  const box = {
    picker: h("input", {
      type: "file",
      multiple: true,
      hidden: true,
      tabindex: "-1",
      "aria-label": "Log files",
    }),
    text: h("textarea", {
      id: `${name}-text`,
      rows: "7",
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      placeholder: PLACEHOLDER,
      "aria-describedby": `${name}-hint`,
    }),
    files: h("ul", { class: "fbt-files", "aria-label": "Files to read" }),
    choose: button("Choose files"),
    sample: button("Try a recorded log", "fbt-button--quiet"),
    submit: h("button", { type: "submit", class: "fbt-button fbt-button--primary" }, "Diagnose"),
    message: h("p", { class: "fbt-message", role: "status" }),
    cancel: button("Stop", "fbt-button--quiet"),
    steps: h("ol", { class: "fbt-steps", "aria-hidden": "true" }),
    result: h("div", { class: "fbt-result" }),
  };
  box.sample.hidden = true;
  box.steps.append(
    ...Object.entries(STAGES).map(([stage, { step }]) => h("li", { "data-stage": stage }, step)),
  );
  box.working = h("div", { class: "fbt-working", hidden: true }, box.steps, box.cancel);
  box.form = h(
    "form",
    { class: "fbt-box", "aria-label": "Triage of a log" },
    h("p", { class: "fbt-hint", id: `${name}-hint` }, HINT),
    h("label", { class: "fbt-label", for: `${name}-text` }, "Log"),
    box.text,
    box.files,
    h("div", { class: "fbt-bar" }, box.choose, box.picker, box.sample, box.submit),
    h("p", { class: "fbt-privacy" }, PRIVACY),
  );
  return box;
}

/** Marks `stage` as the one at work, those before it as done; null hides the steps. */
export function showStage(box, stage) {
  box.working.hidden = stage === null;
  const steps = [...box.steps.children];
  const at = steps.findIndex((step) => step.dataset.stage === stage);
  steps.forEach((step, place) => {
    step.className = place < at ? "fbt-step--done" : place === at ? "fbt-step--now" : "";
  });
}

/** The chips under the text box; `remove(file)` takes one away. */
export function showFiles(box, files, remove) {
  const chip = (file) => {
    const take = h(
      "button",
      {
        type: "button",
        class: "fbt-remove",
        "aria-label": `Remove ${file.name}`,
        onclick: () => remove(file),
      },
      "×",
    );
    return h(
      "li",
      {},
      h("span", { class: "fbt-place" }, file.name),
      h("span", { class: "fbt-aside" }, size(file.size)),
      take,
    );
  };
  box.files.replaceChildren(...files.map(chip));
}

// Python's errors arrive as a traceback: its last line is for everyone, the rest for a bug report.
const lastLine = (text) => text.trim().split("\n").pop();

/** The tool broke: says so, in words that nobody can take for an answer about the log. */
export function renderFailure({ message, stage }, { level, retry }) {
  const unloaded = ["download", "python", "index"].includes(stage);
  const hint = unloaded
    ? "What it needs from this site did not load or did not start. Reload the page to try afresh."
    : null;
  const report = message.trim().includes("\n");
  return h(
    "div",
    { class: "fbt-answer fbt-answer--failed", role: "alert" },
    h(
      "header",
      { class: "fbt-head" },
      h("p", { class: "fbt-verdict" }, "No answer"),
      h(
        `h${level}`,
        { class: "fbt-title", tabindex: "-1" },
        "The matcher failed, so this says nothing about your log",
      ),
      h("p", { class: "fbt-says" }, hint, " ", h("code", {}, lastLine(message))),
      report
        ? h(
            "details",
            {},
            h("summary", {}, "Report of the error"),
            h("pre", { tabindex: "0" }, h("code", {}, message)),
          )
        : null,
      h("p", {}, "In a terminal the same matcher is ", h("code", {}, "faultbook triage train.log"), "."),
      h("button", { type: "button", class: "fbt-button", onclick: retry }, "Try again"),
    ),
  );
}
