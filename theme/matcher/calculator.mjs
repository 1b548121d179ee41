// Makes each `<div class="fb-calculator" data-calculator="ID">` answer for the numbers in it. The page holds the
// answer for its defaults already; Python starts with the first change.

import { h } from "./dom.mjs";

const PAUSE_MS = 250; // after the last key

const valuesOf = (root) =>
  Object.fromEntries([...root.querySelectorAll("[name]")].map(({ name, value }) => [name, value]));

function row([label, size, note]) {
  const name = h("th", { scope: "row" }, label, note && " ", note && h("small", {}, note));
  return h("tr", {}, name, h("td", {}, size));
}

async function show(root, box) {
  const message = root.querySelector(".fb-calculator__message");
  message.textContent = "Calculating …";
  const { rows, error } = await box
    .calculate(root.dataset.calculator, valuesOf(root))
    .catch((failure) => ({ error: `This did not work: ${failure.message}` }));
  message.textContent = error ?? "";
  if (rows) root.querySelector("tbody").replaceChildren(...rows.map(row));
}

/** Let `root` ask `box` (an object with `calculate`) after each change. */
export function calculator(root, box) {
  let timer;
  root.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(root, box), PAUSE_MS);
  });
}
