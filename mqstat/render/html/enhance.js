"use strict";
// The page is complete without this script. It opens the fold that a link points to, sorts tables, copies CSV, filters rules and shows values under the pointer.
(() => {
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const status = make("p", { className: "unseen" });
  status.setAttribute("role", "status");
  document.body.append(status);

  // --- folds
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("a");
    const href = link && (link.getAttribute("href") || link.getAttribute("xlink:href"));
    if (href && href === location.hash) setTimeout(open);
  });
  if (location.hash) open();
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.printed:not([open])")];
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
  });

  // --- tables: prepared when their fold opens
  const number = (text) => {
    const plain = text.replace(/,/g, "");
    return plain !== "" && !isNaN(plain) ? Number(plain) : null;
  };
  const compare = (left, right) => {
    const a = number(left), b = number(right);
    if (left === "" || right === "") return (left === "") - (right === "");
    return a !== null && b !== null ? a - b : left < right ? -1 : left > right ? 1 : 0;
  };
  const sort = (table, heading) => {
    const descending = heading.getAttribute("aria-sort") === "ascending";
    const body = table.tBodies[0], index = heading.cellIndex;
    const rows = [...body.rows].map((row) => [row.cells[index].textContent, row]);
    rows.sort((a, b) => (descending && a[0] !== "" && b[0] !== "" ? compare(b[0], a[0]) : compare(a[0], b[0])));
    body.append(...rows.map((pair) => pair[1]));
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  };
  const csv = (table) => [...table.rows].map((row) => [...row.cells].filter((cell) => !cell.classList.contains("mark"))
    .map((cell) => { const text = cell.textContent.trim(); return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text; }).join(",")).join("\n") + "\n";
  const copy = async (text, message) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { value: text, className: "unseen" });
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    status.textContent = message;
  };
  const prepare = (table) => {
    if (table.dataset.prepared) return;
    table.dataset.prepared = "yes";
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.classList.contains("mark")) continue;
      const button = make("button", { type: "button", title: heading.title }, ...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading));
      heading.append(button);
    }
    const button = make("button", { type: "button", className: "tool", textContent: "Copy these rows as CSV" });
    button.addEventListener("click", async () => {
      await copy(csv(table), `${table.tBodies[0].rows.length} rows copied`);
      button.textContent = `${table.tBodies[0].rows.length} rows copied`;
      setTimeout(() => { button.textContent = "Copy these rows as CSV"; }, 2500);
    });
    table.closest(".scroll").after(button);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const fold = table.closest("details");
    if (!fold || fold.open) prepare(table);
    if (fold) fold.addEventListener("toggle", () => prepare(table));
  }

  // --- only boxes that scroll are Tab stops
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) target.toggleAttribute("tabindex", false) || (target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight) && (target.tabIndex = 0);
  });
  for (const box of document.querySelectorAll(".scroll:not(.plot), pre")) resized.observe(box);

  // --- filter of the rules
  const filter = document.getElementById("rule-filter");
  if (filter) {
    const kinds = [["", "all rules"], ["broken critical warning info", "in breach"], ["clear idle", "clear or idle"],
      ["active-not-judged not-collected not-in-this-release needs-a-site-fact switched-off", "not judged"]];
    const state = make("select", {}, ...kinds.map(([value, text]) => make("option", { value, textContent: text })));
    const search = make("input", { type: "search", size: 18 });
    filter.className = "filter";
    filter.append(make("label", {}, "Show ", state), make("label", {}, "containing ", search));
    const folds = [...document.querySelectorAll("details.area")];
    const before = new Map(folds.map((fold) => [fold, fold.open]));
    const apply = () => {
      const wanted = state.value.split(" "), text = search.value.trim().toLowerCase(), all = !state.value && !text;
      let total = 0;
      for (const fold of folds) {
        let shown = 0;
        for (const row of fold.querySelectorAll("tbody tr")) {
          const fits = (!state.value || wanted.includes(row.dataset.state)) && (!text || row.textContent.toLowerCase().includes(text));
          row.hidden = !fits;
          shown += fits;
        }
        fold.hidden = !shown;
        fold.open = all ? before.get(fold) : shown > 0;
        total += shown;
      }
      status.textContent = `${total} rules`;
    };
    state.addEventListener("change", apply);
    search.addEventListener("input", apply);
  }

  // --- values under the pointer and with the arrow keys
  const source = document.getElementById("chart-data");
  let data = null;
  const digits = [["en-US", { maximumFractionDigits: 0 }], ["en-US", { maximumSignificantDigits: 4 }]];
  const figure = (value) => value.toLocaleString(...digits[Number.isInteger(value) || Math.abs(value) >= 1000 ? 0 : 1]);
  const tip = make("div", { className: "tip", hidden: true });
  document.body.append(tip);
  const show = (box, chart, step, row, y) => {
    const svg = box.querySelector("svg").getBoundingClientRect();
    const scale = svg.width / chart.size[0], plot = chart.plot;
    const x = svg.left + (plot.x + (step + 0.5) * plot.width / chart.times.length) * scale;
    const unit = chart.unit ? ` ${chart.unit}` : "";
    const lines = chart.series.filter((series, index) => series.values[step] !== null && (row === null || row === index))
      .map((series) => make("div", {}, series.name ? `${series.name}: ` : "", make("b", { textContent: `${figure(series.values[step])}${unit}` }), series.breached.includes(step) ? " in breach" : ""));
    tip.replaceChildren(make("div", {}, make("b", { textContent: chart.times[step] })), ...(lines.length ? lines : [make("div", { textContent: "no value" })]));
    tip.hidden = false;
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - tip.offsetHeight - 8))}px`;
    let cursor = box.querySelector(".cursor");
    if (!cursor) box.append(cursor = make("div", { className: "cursor" }));
    cursor.style.left = `${x - box.getBoundingClientRect().left + box.scrollLeft}px`;
  };
  const hide = (box) => {
    tip.hidden = true;
    const cursor = box.querySelector(".cursor");
    if (cursor) cursor.remove();
  };
  for (const figure of document.querySelectorAll(".picture")) {
    const box = figure.querySelector(".plot");
    const chart = () => {
      data = data || JSON.parse(source.textContent);
      const stored = data.charts[figure.id];
      return stored && { ...stored, times: data.times[stored.times] };
    };
    let step = null;
    box.addEventListener("pointermove", (event) => {
      const drawn = chart();
      if (!drawn) return;
      const svg = box.querySelector("svg").getBoundingClientRect(), scale = svg.width / drawn.size[0];
      const x = (event.clientX - svg.left) / scale - drawn.plot.x, y = (event.clientY - svg.top) / scale - drawn.plot.y;
      if (x < 0 || x >= drawn.plot.width || y < 0 || y >= drawn.plot.height) return hide(box);
      step = Math.floor(x / drawn.plot.width * drawn.times.length);
      show(box, drawn, step, drawn.kind === "strip" ? Math.floor(y / drawn.plot.height * drawn.series.length) : null, event.clientY);
    });
    box.addEventListener("pointerleave", () => hide(box));
    box.addEventListener("blur", () => hide(box));
    box.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const drawn = chart();
      if (event.key === "Escape") return hide(box);
      if (!by || !drawn || event.target !== box) return;
      event.preventDefault();
      step = step === null ? (by > 0 ? 0 : drawn.times.length - 1) : Math.max(0, Math.min(drawn.times.length - 1, step + by));
      show(box, drawn, step, null, box.getBoundingClientRect().top);
      status.textContent = tip.textContent;
    });
  }
  const help = document.getElementById("picture-help");
  if (help) help.append(" Point at a picture, or use the arrow keys on it, to see values and times.");
})();
