// The triage box: makes every `<div class="fb-triage" data-entry="ID?" data-sample="URL?">` one. Nothing is
// loaded before someone touches it, apart from asking whether there is a sample log. Only this file and those it
// builds elements with (answer, box, dom) touch the DOM.

import { renderAnswer } from "./answer.mjs";
import { buildBox, renderFailure, showFiles, showStage } from "./box.mjs";
import { calculator } from "./calculator.mjs";
import { TriageClient } from "./client.mjs";
import { filesOf, LONG_TEXT, readAll, textFile } from "./sources.mjs";
import { STAGES, standing } from "./words.mjs";

const SITE = new URL("../../", import.meta.url).href;
const SAMPLE = new URL("./sample.log", import.meta.url).href;

// The heading the box stands under decides the level of the answer's.
function levelBelow(root) {
  const above = [...document.querySelectorAll("h1, h2, h3")].filter(
    (heading) => heading.compareDocumentPosition(root) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  return Number(above.at(-1)?.tagName[1] ?? 1) + 1;
}

class TriageBox {
  #entry;
  #level;
  #box;
  #files = [];
  #busy = false;
  #again = false;
  #client = new TriageClient((stage) => this.#progress(stage));

  constructor(root) {
    this.#level = levelBelow(root);
    this.#entry = root.dataset.entry || null;
    this.#box = buildBox(this.#entry);
    const { form, message, working, result } = this.#box;
    root.replaceChildren(form, message, working, result);
    this.#listen();
    this.#listenToPage();
    this.#offerSample(root.dataset.sample || (this.#entry ? null : SAMPLE));
  }

  /** Rows of a calculator, or {error}; the box says what is going on while Python starts. */
  async calculate(id, values) {
    await this.#start();
    return this.#client.calculate(id, values);
  }

  #listen() {
    const { form, text, picker, choose, cancel } = this.#box;
    // Signs that a log is coming. The focus alone, which also passes through on its way, is none.
    for (const touch of ["pointerdown", "input"]) text.addEventListener(touch, () => this.#start());
    form.addEventListener("dragenter", () => this.#start());
    choose.addEventListener("click", () => this.#start());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#diagnose();
    });
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    text.addEventListener("paste", (event) => this.#paste(event));
    choose.addEventListener("click", () => picker.click());
    picker.addEventListener("change", () => {
      this.#add([...picker.files]);
      picker.value = "";
    });
    cancel.addEventListener("click", () => this.#client.stop());
  }

  // A file dropped beside the box would replace the page by its content, so the whole page takes it.
  #listenToPage() {
    const { form } = this.#box;
    const mine = (event) => form.isConnected && event.dataTransfer.types.includes("Files");
    document.addEventListener("dragover", (event) => {
      if (!mine(event)) return;
      event.preventDefault();
      form.classList.add("fbt-box--over");
    });
    document.addEventListener(
      "dragleave",
      (event) => event.relatedTarget ?? form.classList.remove("fbt-box--over"),
    );
    document.addEventListener("drop", (event) => {
      form.classList.remove("fbt-box--over");
      if (!mine(event)) return;
      event.preventDefault();
      this.#take(event.dataTransfer);
    });
  }

  #paste(event) {
    const text = event.clipboardData.getData("text/plain");
    if (event.clipboardData.files.length) {
      event.preventDefault();
      this.#take(event.clipboardData);
    } else if (text.length > LONG_TEXT) {
      event.preventDefault();
      this.#add([textFile(text)]);
    } else if (text.trim()) {
      setTimeout(() => this.#diagnose()); // once the text is in the box
    }
  }

  async #take(transfer) {
    try {
      this.#add(await filesOf(transfer));
    } catch (failure) {
      this.#fail(failure);
    }
  }

  #add(files) {
    this.#files = [...this.#files, ...files];
    this.#showFiles();
    if (files.length) this.#diagnose();
  }

  #showFiles() {
    showFiles(this.#box, this.#files, (gone) => {
      this.#files = this.#files.filter((file) => file !== gone);
      this.#showFiles();
      this.#box.text.focus();
    });
  }

  async #offerSample(url) {
    const { sample } = this.#box;
    if (!url || !(await fetch(url, { method: "HEAD" }).catch(() => null))?.ok) return;
    sample.hidden = false;
    sample.addEventListener("click", async () => {
      this.#clear();
      try {
        this.#add([textFile(await (await fetch(url)).text(), new URL(url, SITE).pathname.split("/").pop())]);
      } catch (failure) {
        this.#fail(failure);
      }
    });
  }

  // Python starts while the log is still being found; a failure is told now rather than after the paste.
  async #start() {
    try {
      await this.#client.start();
      if (!this.#busy) this.#say("Ready.", null);
    } catch (failure) {
      if (!this.#busy) this.#fail(failure, { focus: false });
    }
  }

  #progress(stage) {
    this.#say(`${STAGES[stage].says} …`, stage);
  }

  #say(text, stage) {
    this.#box.message.textContent = text;
    this.#box.message.classList.remove("fbt-message--asks");
    showStage(this.#box, stage);
  }

  #ask(text) {
    this.#say(text, null);
    this.#box.message.classList.add("fbt-message--asks");
    this.#box.text.focus();
  }

  #given() {
    const text = this.#box.text.value;
    return text.trim() ? [textFile(text), ...this.#files] : this.#files;
  }

  async #diagnose() {
    const files = this.#given();
    if (!files.length) {
      this.#ask("Paste a log or choose files first.");
      return;
    }
    if (files.every(({ size }) => size === 0)) {
      this.#ask(`${files.map(({ name }) => name).join(", ")}: nothing is in there.`);
      return;
    }
    this.#again = this.#busy;
    if (this.#busy) return;
    this.#busy = true;
    try {
      const entries = await this.#client.start();
      const answer = await this.#client.query(await readAll(files));
      this.#show(answer, entries, {});
    } catch (failure) {
      this.#fail(failure);
    } finally {
      this.#busy = false;
      if (this.#again) this.#diagnose();
    }
  }

  // `given`: answers to the questions so far, {key: "yes" | "no"}, in the order given.
  #show({ diagnosis, markdown }, entries, given) {
    const narrowed = (answers) => this.#narrow(entries, answers);
    this.#say(`Done: ${standing(diagnosis).toLowerCase()}.`, null);
    this.#present(
      renderAnswer(diagnosis, {
        entries,
        entry: this.#entry,
        level: this.#level,
        site: SITE,
        markdown: () => markdown,
        settle: (key, answer) => narrowed({ ...given, [key]: answer }),
        takeBack: () => narrowed(Object.fromEntries(Object.entries(given).slice(0, -1))),
        reset: () => this.#reset(),
      }),
    );
  }

  async #narrow(entries, answers) {
    try {
      this.#show(await this.#client.narrow(answers), entries, answers);
    } catch (failure) {
      this.#fail(failure);
    }
  }

  #fail(failure, { focus = true } = {}) {
    if (failure.stage === "stopped") {
      this.#say("Stopped.", null);
      return;
    }
    this.#say("", null);
    this.#present(renderFailure(failure, { level: this.#level, retry: () => this.#retry() }), focus);
  }

  #retry() {
    this.#box.result.replaceChildren();
    if (this.#given().length) this.#diagnose();
    else this.#start();
  }

  #present(article, focus = true) {
    this.#box.result.replaceChildren(article);
    if (!focus) return;
    article.querySelector(".fbt-title").focus({ preventScroll: true });
    article.scrollIntoView({ block: "start" });
  }

  #clear() {
    this.#files = [];
    this.#box.text.value = "";
    this.#box.result.replaceChildren();
    this.#showFiles();
  }

  #reset() {
    this.#clear();
    this.#say("", null);
    this.#box.text.focus();
  }
}

function mount() {
  for (const root of document.querySelectorAll(".fb-triage:not([data-ready])")) {
    root.dataset.ready = "";
    const box = new TriageBox(root);
    // An entry page has one box; its formulas are computed in the same worker.
    for (const root of document.querySelectorAll(".fb-calculator")) calculator(root, box);
  }
}

// Material swaps pages without loading this file again, and announces each on document$.
if (window.document$) window.document$.subscribe(mount);
else mount();
