// Build the browser's Python: `node theme/matcher/build-runtime.mjs [OUT]`, OUT defaults to build/runtime.
// OUT then holds Pyodide's core, a trimmed, byte-compiled standard library and the bytecode of faultbook.match
// (bytecode.py says why).
// Does nothing when the inputs are those of the last build.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const HERE = dirname(fileURLToPath(import.meta.url));
const PYODIDE = join(HERE, "node_modules", "pyodide");
const OUT = resolve(process.argv[2] ?? join(HERE, "..", "..", "build", "runtime"));
const PACKAGES = join(HERE, "..", "..", "generator", "src");
const STAMP = ".stamp";
const COPIED = ["pyodide.asm.wasm", "pyodide.asm.mjs", "pyodide.mjs"];
const INPUTS = [
  ...[...COPIED, "package.json", "pyodide-lock.json", "python_stdlib.zip"].map((name) => join(PYODIDE, name)),
  join(HERE, "build-runtime.mjs"),
  join(HERE, "bytecode.py"),
];
const OUTPUTS = [...COPIED, "pyodide-lock.json", "python_stdlib.zip", "match-bytecode.zip", "NOTICE.txt"];

// What the site publishes as faultbook-match.zip.
async function matchSources() {
  const package_ = join(PACKAGES, "faultbook");
  const inside = await readdir(join(package_, "match"), { recursive: true });
  const modules = inside.filter((name) => name.endsWith(".py")).sort();
  const alone = ["__init__.py", "calculate.py"].map((name) => join(package_, name));
  return [...alone, ...modules.map((name) => join(package_, "match", name))];
}

async function digest(paths) {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(`${path}\n`).update(await readFile(path));
  return hash.digest("hex");
}

async function isFresh(wanted) {
  if (![STAMP, ...OUTPUTS].every((name) => existsSync(join(OUT, name)))) return false;
  return (await readFile(join(OUT, STAMP), "utf8")).trim() === wanted;
}

// The standard library and the bytecode of `sources`, both as zips.
async function compiled(sources) {
  const python = await loadPyodide({ indexURL: PYODIDE });
  const namespace = python.toPy({ __name__: "bytecode" });
  python.runPython(await readFile(join(HERE, "bytecode.py"), "utf8"), { globals: namespace });
  // A plain Uint8Array: Node's Buffer, its subclass, crashes the conversion.
  const stdlib = new Uint8Array(await readFile(join(PYODIDE, "python_stdlib.zip")));
  const library = namespace.get("trim")(stdlib).toJs();
  const texts = {};
  for (const path of sources)
    texts[relative(PACKAGES, path).replaceAll("\\", "/")] = await readFile(path, "utf8");
  return [library, namespace.get("cache")(python.toPy(texts)).toJs()];
}

// The lock lists 357 packages on somebody else's server. None is used, so none is named: nothing can be fetched.
async function emptyLock() {
  const lock = JSON.parse(await readFile(join(PYODIDE, "pyodide-lock.json"), "utf8"));
  return JSON.stringify({ info: lock.info, packages: {} });
}

async function notice() {
  const { version, homepage } = JSON.parse(await readFile(join(PYODIDE, "package.json"), "utf8"));
  return [
    `Pyodide ${version}, Mozilla Public License 2.0. Source: ${homepage}`,
    "pyodide.mjs, pyodide.asm.mjs and pyodide.asm.wasm are unchanged; pyodide-lock.json has no packages.",
    "python_stdlib.zip: part of CPython's standard library (Python Software Foundation License 2.0,",
    "Copyright (c) Python Software Foundation), compiled to bytecode. Source: https://www.python.org",
    "",
  ].join("\n");
}

async function build(stamp, sources) {
  const fresh = `${OUT}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  for (const name of COPIED) await cp(join(PYODIDE, name), join(fresh, name));
  const [library, bytecode] = await compiled(sources);
  await writeFile(join(fresh, "python_stdlib.zip"), library);
  await writeFile(join(fresh, "match-bytecode.zip"), bytecode);
  await writeFile(join(fresh, "pyodide-lock.json"), await emptyLock());
  await writeFile(join(fresh, "NOTICE.txt"), await notice());
  await writeFile(join(fresh, STAMP), `${stamp}\n`);
  await rm(OUT, { recursive: true, force: true });
  await rename(fresh, OUT);
}

const sources = await matchSources();
const wanted = await digest([...INPUTS, ...sources]);
if (await isFresh(wanted)) {
  console.log(`${OUT}: up to date`);
} else {
  await build(wanted, sources);
  console.log(`${OUT}: built`);
}
