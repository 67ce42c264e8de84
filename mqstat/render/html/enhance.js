"use strict";
// The page is complete without this script. It opens the fold that a link points to, sorts tables, copies CSV, cards and links, filters rules, shows values under the
// pointer, and limits the findings to a range of time.
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
    if (location.hash.startsWith("#range=")) return;
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

  // --- cards: copy their text and their link
  for (const card of document.querySelectorAll(".card")) {
    const pre = card.querySelector(".copy pre");
    if (!pre) continue;
    const text = make("button", { type: "button", className: "tool", textContent: "Copy" });
    text.addEventListener("click", () => copy(`${pre.textContent}\n`, "finding copied"));
    const link = make("button", { type: "button", className: "tool", textContent: "Copy the link" });
    link.addEventListener("click", () => copy(`${location.href.replace(/#.*/, "")}#${card.id}`, "link copied"));
    pre.before(text, link);
  }

  // --- filter of the rules
  const filter = document.getElementById("rule-filter");
  if (filter) {
    const kinds = [["", "all rules"], ["broken critical warning info", "in breach"], ["clear idle", "clear or idle"], ["clear-in-part reported-by", "clear in part or reported by another rule"],
      ["not-judged not-collected not-in-this-release needs-a-site-fact off", "not judged"]];
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
    if (box.closest(".card")) cursors((step + 0.5) / chart.times.length);
    else place(box, x - box.getBoundingClientRect().left + box.scrollLeft);
  };
  const place = (box, x) => {
    let cursor = box.querySelector(".cursor");
    if (!cursor) box.append(cursor = make("div", { className: "cursor" }));
    cursor.style.left = `${x}px`;
  };
  const hide = (box) => {
    tip.hidden = true;
    for (const cursor of document.querySelectorAll(".cursor")) cursor.remove();
  };

  // --- one axis of time: the charts of all findings and the days of the queue managers have the steps of the page
  const stored = () => data = data || (source ? JSON.parse(source.textContent) : { times: [], charts: {} });
  const shared = () => [...document.querySelectorAll(".card .picture .plot, .estate .day .plot")].map((box) => {
    const svg = box.querySelector("svg"), chart = box.closest(".card") ? stored().charts[box.parentElement.id] : null;
    if (!svg || !svg.clientWidth || (box.closest(".card") && !chart)) return null;
    const scale = chart ? svg.clientWidth / chart.size[0] : 1;
    return { box, left: svg.offsetLeft || 0, from: chart ? chart.plot.x * scale : 0, width: chart ? chart.plot.width * scale : svg.clientWidth };
  }).filter(Boolean);
  const cursors = (part) => {
    for (const { box, from, width } of shared()) place(box, from + part * width);
  };
  const cards = [...document.querySelectorAll(".card[data-steps]")];
  const page = Object.entries(source ? stored().charts : {}).find(([id]) => id.startsWith("chart-"));
  const times = page ? stored().times[page[1].times] : [];
  if (cards.length && times.length) {
    const options = () => times.map((text, step) => make("option", { value: step, textContent: text }));
    const from = make("select", {}, ...options()), to = make("select", {}, ...options());
    to.value = times.length - 1;
    const all = make("button", { type: "button", className: "tool", textContent: "Whole period" });
    const count = make("span", { className: "quiet" });
    const fold = make("details", { className: "range" }, make("summary", { textContent: "Only a range of time" }),
      make("p", { className: "filter" }, make("label", {}, "From ", from), make("label", {}, "through ", to), all));
    document.getElementById("findings").prepend(fold, count);
    const range = () => {
      const match = /^#range=(\d+)-(\d+)$/.exec(location.hash);
      return match && Number(match[1]) <= Number(match[2]) && Number(match[2]) < times.length ? [Number(match[1]), Number(match[2])] : null;
    };
    let chosen = null;
    const apply = () => {
      for (const dim of document.querySelectorAll(".dim")) dim.remove();
      let shown = 0;
      for (const card of cards) {
        const hit = !chosen || card.dataset.steps.split(" ").some((run) => { const [first, end] = run.split("-"); return first <= chosen[1] && end > chosen[0]; });
        card.hidden = !hit;
        if (card.parentElement.classList.contains("note")) card.parentElement.hidden = !hit;
        shown += hit;
      }
      count.textContent = chosen ? `${shown} of ${cards.length} findings with times are in breach from ${times[chosen[0]]} through ${times[chosen[1]]}` : "";
      status.textContent = count.textContent;
      if (!chosen) return;
      [from.value, to.value] = chosen;
      for (const { box, from: left, width } of shared()) {
        const [start, end] = [chosen[0] / times.length, (chosen[1] + 1) / times.length];
        for (const [x, w] of [[left, start * width], [left + end * width, (1 - end) * width]]) {
          const dim = make("div", { className: "dim" });
          dim.style.left = `${x}px`;
          dim.style.width = `${w}px`;
          box.append(dim);
        }
      }
    };
    const hash = (steps) => `#range=${Math.min(...steps)}-${Math.max(...steps)}`;
    const set = (...steps) => { location.hash = hash(steps); };
    for (const select of [from, to]) select.addEventListener("change", () => set(Number(from.value), Number(to.value)));
    all.addEventListener("click", () => { history.replaceState(null, "", location.pathname + location.search); from.value = 0; to.value = times.length - 1; changed(); });
    // A link inside the page keeps the range and its place in the address, unless it leads to a finding that the range hides.
    const changed = () => {
      const next = range(), target = !next && location.hash && document.getElementById(location.hash.slice(1));
      if (chosen && target && !target.closest("[hidden]")) return history.replaceState(null, "", hash(chosen));
      chosen = next;
      if (chosen) fold.open = true;
      apply();
      if (target) target.scrollIntoView();
    };
    addEventListener("hashchange", changed);
    addEventListener("resize", () => chosen && apply());
    document.addEventListener("toggle", () => chosen && apply(), true);
    let began = null;
    const at = (box, event) => {
      const bounds = box.querySelector("svg").getBoundingClientRect();
      return Math.max(0, Math.min(times.length - 1, Math.floor((event.clientX - bounds.left) / bounds.width * times.length)));
    };
    for (const box of document.querySelectorAll(".estate .day .plot")) {
      box.addEventListener("pointermove", (event) => cursors((at(box, event) + 0.5) / times.length));
      box.addEventListener("pointerleave", () => hide(box));
      box.addEventListener("pointerdown", (event) => { began = at(box, event); box.setPointerCapture(event.pointerId); event.preventDefault(); });
      box.addEventListener("pointerup", (event) => { if (began !== null && at(box, event) !== began) set(began, at(box, event)); began = null; });
    }
    if (range()) changed();
  }
  for (const figure of document.querySelectorAll(".picture")) {
    const box = figure.querySelector(".plot");
    const chart = () => {
      const drawn = source && stored().charts[figure.id];
      return drawn && { ...drawn, times: stored().times[drawn.times] };
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
