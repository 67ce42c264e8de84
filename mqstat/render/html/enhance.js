"use strict";
// The page is complete without this. It opens the fold that a link points to, sorts tables, copies CSV, filters rules, tells figures under the pointer.
(() => {
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const said = make("p", { className: "unseen" });
  said.setAttribute("role", "status");
  document.body.append(said);

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

  // --- tables: made ready when their fold opens
  const number = (text) => {
    const plain = text.replace(/,/g, "");
    return plain !== "" && !isNaN(plain) ? Number(plain) : null;
  };
  const compare = (one, other) => {
    const a = number(one), b = number(other);
    if (one === "" || other === "") return (one === "") - (other === "");
    return a !== null && b !== null ? a - b : one < other ? -1 : one > other ? 1 : 0;
  };
  const sort = (table, heading) => {
    const descending = heading.getAttribute("aria-sort") === "ascending";
    const body = table.tBodies[0], place = heading.cellIndex;
    const rows = [...body.rows].map((row) => [row.cells[place].textContent, row]);
    rows.sort((a, b) => (descending && a[0] !== "" && b[0] !== "" ? compare(b[0], a[0]) : compare(a[0], b[0])));
    body.append(...rows.map((pair) => pair[1]));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  };
  const csv = (table) => [...table.rows].map((row) => [...row.cells].filter((cell) => !cell.classList.contains("mark"))
    .map((cell) => { const text = cell.textContent.trim(); return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text; }).join(",")).join("\n") + "\n";
  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { value: text, className: "unseen" });
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    said.textContent = what;
  };
  const ready = (table) => {
    if (table.dataset.ready) return;
    table.dataset.ready = "yes";
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
    if (!fold || fold.open) ready(table);
    if (fold) fold.addEventListener("toggle", () => ready(table));
  }

  // --- only what scrolls is a stop of the Tab key
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) target.toggleAttribute("tabindex", false) || (target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight) && (target.tabIndex = 0);
  });
  for (const box of document.querySelectorAll(".scroll:not(.plot), pre")) resized.observe(box);

  // --- filter of the rules
  const filter = document.getElementById("rule-filter");
  if (filter) {
    const kinds = [["", "all rules"], ["broken critical warning info", "in breach"], ["clear idle", "clear or idle"],
      ["not-collected not-in-this-release needs-a-site-fact switched-off", "not judged"]];
    const state = make("select", {}, ...kinds.map(([value, text]) => make("option", { value, textContent: text })));
    const words = make("input", { type: "search", size: 18 });
    filter.className = "filter";
    filter.append(make("label", {}, "Show ", state), make("label", {}, "with the words ", words));
    const folds = [...document.querySelectorAll("details.area")];
    const before = new Map(folds.map((fold) => [fold, fold.open]));
    const apply = () => {
      const wanted = state.value.split(" "), text = words.value.trim().toLowerCase(), all = !state.value && !text;
      let found = 0;
      for (const fold of folds) {
        let here = 0;
        for (const row of fold.querySelectorAll("tbody tr")) {
          const fits = (!state.value || wanted.includes(row.dataset.state)) && (!text || row.textContent.toLowerCase().includes(text));
          row.hidden = !fits;
          here += fits;
        }
        fold.hidden = !here;
        fold.open = all ? before.get(fold) : here > 0;
        found += here;
      }
      said.textContent = `${found} rules`;
    };
    state.addEventListener("change", apply);
    words.addEventListener("input", apply);
  }

  // --- figures under the pointer, and by arrow keys
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
    const lines = chart.series.map((one, place) => [one, place]).filter(([one, place]) => one.values[step] !== null && (row === null || row === place))
      .map(([one]) => make("div", {}, one.name ? `${one.name}: ` : "", make("b", { textContent: `${figure(one.values[step])}${unit}` }), one.breached.includes(step) ? " in breach" : ""));
    tip.replaceChildren(make("div", {}, make("b", { textContent: chart.times[step] })), ...(lines.length ? lines : [make("div", { textContent: "no figure" })]));
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
      const found = data.charts[figure.id];
      return found && { ...found, times: data.times[found.times] };
    };
    let step = null;
    box.addEventListener("pointermove", (event) => {
      const one = chart();
      if (!one) return;
      const svg = box.querySelector("svg").getBoundingClientRect(), scale = svg.width / one.size[0];
      const x = (event.clientX - svg.left) / scale - one.plot.x, y = (event.clientY - svg.top) / scale - one.plot.y;
      if (x < 0 || x >= one.plot.width || y < 0 || y >= one.plot.height) return hide(box);
      step = Math.floor(x / one.plot.width * one.times.length);
      show(box, one, step, one.kind === "strip" ? Math.floor(y / one.plot.height * one.series.length) : null, event.clientY);
    });
    box.addEventListener("pointerleave", () => hide(box));
    box.addEventListener("blur", () => hide(box));
    box.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const one = chart();
      if (event.key === "Escape") return hide(box);
      if (!by || !one || event.target !== box) return;
      event.preventDefault();
      step = step === null ? (by > 0 ? 0 : one.times.length - 1) : Math.max(0, Math.min(one.times.length - 1, step + by));
      show(box, one, step, null, box.getBoundingClientRect().top);
      said.textContent = tip.textContent;
    });
  }
  const help = document.getElementById("picture-help");
  if (help) help.append(" The pointer, or the arrow keys on a picture, tell figure and time.");
})();
