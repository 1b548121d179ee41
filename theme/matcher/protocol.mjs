// Everything that client.mjs and worker.mjs say to each other. Each message is a plain object with a `type`
// and the `id` of the request it belongs to.
//
//   client -> worker   SETUP     urls of the runtime, the match archive and the signature index; once, first
//                      QUERY     files: [{name, data: ArrayBuffer}], the buffers are transferred
//                      NARROW    answers: JSON {question key: "yes" | "no"} to the questions of the last QUERY, all of them
//                      CALCULATE request: JSON {id, values} for faultbook.calculate
//   worker -> client   PROGRESS  stage: one of STAGES, while SETUP or QUERY is being worked on
//                      READY     entries: {id: {title, url, severity, fix, refines}} of the loaded index; the answer to SETUP
//                      RESULT    diagnosis: the object `faultbook triage --format json` prints, and the same
//                                as markdown; the answer to QUERY and NARROW
//                      ROWS      rows: [[label, size, note]] or error: what is wrong with the numbers; the answer to CALCULATE
//                      FAILED    stage it broke in and message; to either. Never means "no match".

export const SETUP = "setup";
export const READY = "ready";
export const QUERY = "query";
export const NARROW = "narrow";
export const CALCULATE = "calculate";
export const ROWS = "rows";
export const PROGRESS = "progress";
export const RESULT = "result";
export const FAILED = "failed";

// In the order they happen. `download` and `python` are the first start of a page only.
export const STAGES = ["download", "python", "index", "match"];

export const setup = (id, urls) => ({ type: SETUP, id, urls });
export const ready = (id, entries) => ({ type: READY, id, entries });
export const query = (id, files) => ({ type: QUERY, id, files });
export const narrow = (id, answers) => ({ type: NARROW, id, answers });
export const calculate = (id, request) => ({ type: CALCULATE, id, request });
export const rows = (id, answer) => ({ type: ROWS, id, ...answer });
export const progress = (id, stage) => ({ type: PROGRESS, id, stage });
export const result = (id, diagnosis, markdown) => ({ type: RESULT, id, diagnosis, markdown });
export const failed = (id, stage, message) => ({ type: FAILED, id, stage, message });
