// What was pasted, dropped or chosen, as files; read into bytes only when a question is asked.

// Python needs a few times a log's size; beyond this the terminal is the better place.
export const LIMIT_BYTES = 256 * 1024 * 1024;
// A longer text is kept as a file beside the text box: laying it out there would freeze the page.
export const LONG_TEXT = 200_000;

export const textFile = (text, name = "pasted.log") => new File([text], name, { type: "text/plain" });

const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));
const batchOf = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));

// A directory is listed in batches, until an empty one.
async function filesUnder(entry) {
  if (entry.isFile) return [await fileOf(entry)];
  const reader = entry.createReader();
  const found = [];
  for (let batch = await batchOf(reader); batch.length; batch = await batchOf(reader)) {
    for (const child of batch) found.push(...(await filesUnder(child)));
  }
  return found;
}

/** The files of a drop or a paste, folders opened. Call it inside the event: the items are gone afterwards. */
export async function filesOf(transfer) {
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === "file")
    .map((item) => item.webkitGetAsEntry());
  if (entries.some((entry) => entry === null)) return [...transfer.files];
  return (await Promise.all(entries.map(filesUnder))).flat();
}

/** `[{name, data: ArrayBuffer}]`; throws a RangeError with a sentence for the reader when it is too much. */
export async function readAll(files) {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > LIMIT_BYTES) {
    throw new RangeError(
      `${Math.round(total / 2 ** 20)} MiB is more than a page can hold; the limit is 256 MiB.`,
    );
  }
  return Promise.all(files.map(async (file) => ({ name: file.name, data: await file.arrayBuffer() })));
}
