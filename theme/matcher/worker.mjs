// Runs faultbook.match, the package the terminal runs, in Pyodide. The only file that names Pyodide.
//
// client.mjs starts this text from a blob: URL, because only then does the page's Content-Security-Policy
// bind the worker, and with it the promise that a log cannot leave the page. Such a module has no address
// of its own: everything is imported by the absolute URLs that SETUP brings.

let protocol;
let bridge;
let calculator;
let toPython;
let stage = "download";

function enter(id, next) {
  stage = next;
  postMessage(protocol.progress(id, next));
}

async function fetched(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${new URL(url).pathname}: HTTP ${response.status}`);
  return response;
}

// Pyodide fetches its parts itself and says nothing meanwhile; the largest of them tells when the download is over.
// When that one fails, Pyodide never settles its promise, so this rejects in its place.
function downloaded(id, part) {
  return new Promise((_, reject) => {
    const observer = new PerformanceObserver((list) => {
      const entry = list.getEntries().find(({ name }) => name.endsWith(part));
      if (!entry) return;
      observer.disconnect();
      const { responseStatus: status } = entry;
      if (status === 0 || status >= 400)
        reject(new Error(`${part}: ${status ? `HTTP ${status}` : "no answer"}`));
      else enter(id, "python");
    });
    observer.observe({ type: "resource" });
  });
}

async function startPython(id, runtime) {
  const { loadPyodide } = await import(`${runtime}pyodide.mjs`);
  const python = loadPyodide({ indexURL: runtime, stdLibURL: `${runtime}python_stdlib.zip` });
  return Promise.race([python, downloaded(id, "pyodide.asm.wasm")]);
}

// What the page shows of an entry that a question leads to and the log did not bring up.
function directory(index) {
  const entries = JSON.parse(index).entries ?? [];
  return Object.fromEntries(
    entries.map(({ id, title, url, severity, fix, refines }) => [id, { title, url, severity, fix, refines }]),
  );
}

async function start(id, { runtime, archive, index }) {
  enter(id, "download");
  const [python, code, bytecode, signatures] = await Promise.all([
    startPython(id, runtime),
    fetched(archive).then((response) => response.arrayBuffer()),
    fetched(`${runtime}match-bytecode.zip`).then((response) => response.arrayBuffer()),
    fetched(index).then((response) => response.text()),
  ]);
  enter(id, "index");
  // Python takes bytecode only where it fits the source beside it, so the two cannot disagree.
  for (const part of [code, bytecode]) python.unpackArchive(part, "zip", { extractDir: "/faultbook" });
  python.pyimport("sys").path.append("/faultbook");
  const { bytes } = python.pyimport("builtins");
  toPython = (files) =>
    python.toPy(files.map(({ name, data }) => [name, bytes(python.toPy(new Uint8Array(data)))]));
  bridge = python.pyimport("faultbook.match.bridge");
  bridge.load(signatures);
  calculator = python.pyimport("faultbook.calculate");
  postMessage(protocol.ready(id, directory(signatures)));
}

function answer(id, text) {
  const diagnosis = JSON.parse(text);
  if (diagnosis.error) throw new Error(diagnosis.error);
  postMessage(protocol.result(id, diagnosis, bridge.markdown()));
}

self.onmessage = async ({ data: { type, id, urls, files, answers, request } }) => {
  try {
    protocol ??= await import(urls.protocol);
    if (type === protocol.SETUP) await start(id, urls);
    else if (type === protocol.CALCULATE)
      postMessage(protocol.rows(id, JSON.parse(calculator.answer(request))));
    else if (type === protocol.NARROW) answer(id, bridge.answer(answers));
    else {
      enter(id, "match");
      answer(id, bridge.query(toPython(files)));
    }
  } catch (error) {
    // The protocol itself may be what failed to load, so this message is written out.
    postMessage({ type: "failed", id, stage, message: String(error.message ?? error) });
  }
};
