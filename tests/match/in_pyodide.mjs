// Ask faultbook.match in the browser's Python, under Node. Standard input: {"runtime": folder, "archive": zip,
// "index": file, "questions": [[{"name", "path"}, ...], ...]}; standard output: a JSON list of the answers as
// the bridge gave them, texts.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stdin, stdout } from "node:process";
import { pathToFileURL } from "node:url";

async function input() {
  const chunks = [];
  for await (const chunk of stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

async function start({ runtime, archive, index }) {
  const { loadPyodide } = await import(pathToFileURL(join(runtime, "pyodide.mjs")));
  const python = await loadPyodide({
    indexURL: `${runtime}/`,
    stdLibURL: join(runtime, "python_stdlib.zip"),
  });
  for (const part of [archive, join(runtime, "match-bytecode.zip")]) {
    python.unpackArchive(new Uint8Array(await readFile(part)), "zip", { extractDir: "/faultbook" });
  }
  python.pyimport("sys").path.append("/faultbook");
  const bridge = python.pyimport("faultbook.match.bridge");
  bridge.load(await readFile(index, "utf8"));
  const { bytes } = python.pyimport("builtins");
  return async (files) => {
    const pairs = files.map(async ({ name, path }) => [
      name,
      bytes(python.toPy(new Uint8Array(await readFile(path)))),
    ]);
    return bridge.query(python.toPy(await Promise.all(pairs)));
  };
}

const { questions, ...places } = await input();
const ask = await start(places);
const answers = [];
for (const files of questions) answers.push(await ask(files));
stdout.write(JSON.stringify(answers));
