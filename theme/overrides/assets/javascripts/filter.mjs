// Filters an index by what its rows carry in data-severity, data-system, data-tag and data-proof.
// Without scripts the whole list shows and no controls do. The choice lives in the address, so it can be sent on.

const FIELDS = ["severity", "system", "tag", "proof"];
const NAMES = { severity: "Severity", system: "System", tag: "Tag", proof: "Proof" };

const valuesOf = (row, field) => (row.dataset[field] ?? "").split(/\s+/).filter(Boolean);

function optionsOf(rows, field) {
  const counts = new Map();
  for (const row of rows) for (const value of valuesOf(row, field)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b));
}

function control(rows, field) {
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.name = field;
  select.append(new Option("any", ""));
  for (const [value, count] of optionsOf(rows, field)) select.append(new Option(`${value} (${count})`, value));
  label.append(NAMES[field], select);
  return label;
}

function start(list) {
  const rows = [...list.querySelectorAll(":scope > li")];
  const count = list.parentElement.querySelector(".fb-count");
  const whole = count?.innerHTML;
  const form = document.createElement("form");
  form.className = "fb-filter";
  form.setAttribute("aria-label", "Filter the list");
  form.append(...FIELDS.map((field) => control(rows, field)));
  list.before(form);
  count?.setAttribute("role", "status");

  const asked = new URLSearchParams(location.search);
  for (const field of FIELDS) form.elements[field].value = asked.get(field) ?? "";

  const apply = () => {
    const wanted = FIELDS.map((field) => [field, form.elements[field].value]).filter(([, value]) => value);
    for (const row of rows) row.hidden = !wanted.every(([field, value]) => valuesOf(row, field).includes(value));
    const shown = rows.filter((row) => !row.hidden).length;
    if (count) count.innerHTML = wanted.length ? `<strong>${shown}</strong> of ${rows.length}` : whole;
    const query = new URLSearchParams(wanted).toString();
    history.replaceState(null, "", `${location.pathname}${query && `?${query}`}${location.hash}`);
  };
  form.addEventListener("change", apply);
  apply();
}

for (const list of document.querySelectorAll("[data-fb-filter]")) start(list);
