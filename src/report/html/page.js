// Search, filters, sorting, keys. Without this script the page shows everything.
"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// A number behind what a cell shows, such as `1.20 MiB`; a text if there is none.
const UNITS = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };
function value(row, column) {
  const text = (row.cells[column]?.textContent ?? "").trim();
  const found = /^(-?[\d.]+)(?:\s*([KMGT]iB|B|s)| of [\d.]+)?$/.exec(text);
  return found ? Number(found[1]) * (UNITS[found[2]] ?? 1) : text.toLowerCase();
}
function compare(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : Number(a > b);
  // What has no number stands at the end.
  return typeof a === "number" ? -1 : 1;
}

// Tables are sorted up, down, and as they were.
for (const table of all("table.sorts")) {
  const body = table.tBodies[0];
  const order = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" };
      const wanted = next[head.getAttribute("aria-sort")];
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", wanted);
      const rows = [...order];
      if (wanted !== "none") {
        const keyed = rows.map((row) => ({ row, key: value(row, column) }));
        const sign = wanted === "ascending" ? 1 : -1;
        keyed.sort((a, b) => {
          const empty = Number(a.key === "") - Number(b.key === "");
          return empty || sign * compare(a.key, b.key);
        });
        body.append(...keyed.map(({ row }) => row));
      } else {
        body.append(...rows);
      }
    });
  });
}

// What is shown: `data-s` is the number of a submission, in the list, in the matrix and as a card.
const rows = all("#submissions tbody tr");
const parts = new Map();
for (const part of all("[data-s]")) {
  const id = part.dataset.s;
  if (!parts.has(id)) parts.set(id, []);
  parts.get(id).push(part);
}
const search = document.querySelector("#search");
const count = document.querySelector("#count");
let filter = "";
function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const fits = !filter || row.dataset.is.split(" ").includes(filter);
    const visible = fits && words.every((word) => text.includes(word));
    shown += Number(visible);
    for (const part of parts.get(row.dataset.s)) part.hidden = !visible;
  }
  const whole = shown === rows.length;
  count.textContent = whole ? `${shown} shown` : `${shown} of ${rows.length} shown`;
}
if (search) {
  document.querySelector(".tools").hidden = false;
  document.body.classList.add("filters");
  search.addEventListener("input", show);
  for (const button of all(".tools button")) {
    button.addEventListener("click", () => {
      filter = button.dataset.filter;
      for (const other of all(".tools button")) other.setAttribute("aria-pressed", other === button);
      show();
    });
  }
  show();
}

// What a link leads to is opened.
function reveal() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
    if (at.dataset?.s && at.hidden) at.hidden = false;
  }
  target.scrollIntoView();
  const focus = target.tagName === "DETAILS" ? target.querySelector("summary") : target;
  focus.focus({ preventScroll: true });
}
addEventListener("hashchange", reveal);
for (const link of all("a[href^='#']")) {
  link.addEventListener("click", () => link.hash === location.hash && reveal());
}
reveal();

// Plots tell the test case below the pointer: they are the table of test cases in its first order.
for (const plot of all(".plot[data-t]")) {
  const table = document.querySelector(`#${plot.dataset.t} table`);
  const told = plot.querySelector(".told");
  const usual = told.textContent;
  const cases = table ? [...table.tBodies[0].rows] : [];
  const svg = plot.querySelector("svg");
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const row = cases[Math.floor(((event.clientX - box.left) / box.width) * cases.length)];
    if (row) told.textContent = [...row.cells].slice(0, 4).map((cell) => cell.textContent).join(" · ");
  });
  svg.addEventListener("pointerleave", () => { told.textContent = usual; });
}

// Keys, unless they are turned off or meant for a field.
const keys = document.querySelector("#keys");
addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input[type=search], textarea, select");
  if (event.key === "Escape" && typing) { search.value = ""; show(); typing.blur(); return; }
  if (typing || !keys?.checked || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && search) { event.preventDefault(); search.focus(); }
  const step = { j: 1, k: -1 }[event.key];
  if (!step) return;
  const cards = all(".card").filter((card) => !card.hidden);
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const next = cards[at < 0 ? (step > 0 ? 0 : cards.length - 1) : at + step];
  if (next) { next.open = true; next.querySelector("summary").focus(); next.scrollIntoView(); }
});

// On paper, what failed is open.
const opened = [];
addEventListener("beforeprint", () => {
  for (const details of all(".card.bad:not([hidden]), .failure")) {
    if (!details.open) { details.open = true; opened.push(details); }
  }
});
addEventListener("afterprint", () => {
  for (const details of opened.splice(0)) details.open = false;
});
