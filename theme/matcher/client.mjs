// Owns the worker: starts it, asks it, and ends it when it takes too long. Knows no DOM.

import * as protocol from "./protocol.mjs";

const ASSETS = new URL("./", import.meta.url).href;
const URLS = {
  protocol: `${ASSETS}protocol.mjs`,
  runtime: `${ASSETS}runtime/`,
  archive: `${ASSETS}faultbook-match.zip`,
  index: `${ASSETS}index.json`,
};

// Pyodide's start-up promise may never settle (a blocked WebAssembly compile), so silence has a limit of its
// own: no stage may take longer. Long enough for 13 MB on a slow line.
export const START_LIMIT_MS = 120_000;
// A query gets this much, and more for a large log: well above what a slow machine needs for one.
export const QUERY_LIMIT_MS = 60_000;
export const QUERY_LIMIT_MS_PER_MB = 3_000;
const CALCULATION_LIMIT_MS = 10_000;

/** A failure of the tool itself, never "no match". `stage` is where: one of STAGES, or "timeout". */
export class TriageFailure extends Error {
  constructor(stage, message) {
    super(message);
    this.stage = stage;
  }
}

// A blob: address, so that the page's Content-Security-Policy holds inside the worker too (see worker.mjs).
async function workerAddress() {
  const response = await fetch(`${ASSETS}worker.mjs`);
  if (!response.ok) throw new TriageFailure("download", `worker.mjs: HTTP ${response.status}`);
  return URL.createObjectURL(new Blob([await response.text()], { type: "text/javascript" }));
}

/** One worker, one request at a time, in the order asked. `onProgress(stage)` is called as a query moves on. */
export class TriageClient {
  #onProgress;
  #last = Promise.resolve();
  #worker = null;
  #address = null;
  #started = null;
  #pending = null;
  #lastId = 0;

  constructor(onProgress) {
    this.#onProgress = onProgress;
  }

  /** Start Python unless it is running or starting. Resolves to `{id: {title, url, severity, fix, refines}}` of all entries. */
  start() {
    this.#started ??= this.#launch();
    return this.#started;
  }

  /** Rows of a calculator for `values`, or {error}. Waits for what was asked before. */
  calculate(id, values) {
    return this.#inTurn(async () => {
      await this.start();
      return this.#ask(protocol.calculate, JSON.stringify({ id, values }), CALCULATION_LIMIT_MS);
    });
  }

  /** `files`: [{name, data: ArrayBuffer}]; the buffers are transferred. Resolves to {diagnosis, markdown}. */
  query(files) {
    return this.#inTurn(() => this.#query(files));
  }

  /** The last query's diagnosis after `answers` {question key: "yes" | "no"}. Resolves to {diagnosis, markdown}. */
  narrow(answers) {
    return this.#inTurn(() => this.#ask(protocol.narrow, JSON.stringify(answers), QUERY_LIMIT_MS));
  }

  #inTurn(work) {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => null);
    return turn;
  }

  async #query(files) {
    await this.start();
    const megabytes = files.reduce((sum, { data }) => sum + data.byteLength, 0) / 1e6;
    const limit = QUERY_LIMIT_MS + megabytes * QUERY_LIMIT_MS_PER_MB;
    return this.#ask(
      protocol.query,
      files,
      limit,
      files.map(({ data }) => data),
    );
  }

  /** End the worker, whatever it is doing; the next `start` makes a fresh one. */
  stop(failure = new TriageFailure("stopped", "stopped")) {
    this.#worker?.terminate();
    if (this.#address) URL.revokeObjectURL(this.#address);
    this.#worker = this.#address = this.#started = null;
    this.#settle((pending) => pending.reject(failure));
  }

  async #launch() {
    try {
      this.#onProgress("download");
      this.#address = await workerAddress();
      this.#worker = new Worker(this.#address, { type: "module" });
      this.#worker.onmessage = ({ data }) => this.#receive(data);
      this.#worker.onerror = (event) =>
        this.stop(new TriageFailure("download", event.message ?? "no worker"));
      return (await this.#ask(protocol.setup, URLS, START_LIMIT_MS)).entries;
    } catch (failure) {
      this.stop(failure);
      throw failure;
    }
  }

  #ask(message, payload, limit, transfer = []) {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#pending = { id, resolve, reject, limit };
      this.#watch();
      this.#worker.postMessage(message(id, payload), transfer);
    });
  }

  // No stage may be silent for longer than the request's limit: `terminate` is the only way to end a busy worker.
  #watch() {
    const { limit } = this.#pending;
    const seconds = Math.round(limit / 1000);
    clearTimeout(this.#pending.timer);
    this.#pending.timer = setTimeout(
      () => this.stop(new TriageFailure("timeout", `no answer for ${seconds} s, so the matcher was stopped`)),
      limit,
    );
  }

  #receive(message) {
    if (message.id !== this.#pending?.id) return;
    if (message.type === protocol.PROGRESS) {
      this.#watch();
      this.#onProgress(message.stage);
    } else if (message.type === protocol.FAILED) {
      // A fresh worker next time: after an error inside it, Python may be short of memory or half set up.
      this.stop(new TriageFailure(message.stage, message.message));
    } else {
      this.#settle((pending) => pending.resolve(message));
    }
  }

  #settle(how) {
    const pending = this.#pending;
    if (!pending) return;
    clearTimeout(pending.timer);
    this.#pending = null;
    how(pending);
  }
}
