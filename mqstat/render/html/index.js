"use strict";
// The index is complete without this script. It filters the lists of findings by queue manager and rule, and prints all folds.
(() => {
  const input = document.getElementById("search"), matches = document.getElementById("matches");
  if (input) {
    const section = input.closest("section"), items = [...section.querySelectorAll("li")];
    const names = items.map((item) => item.dataset.name.toLowerCase());
    const filter = () => {
      const wanted = input.value.trim().toLowerCase();
      let shown = 0;
      items.forEach((item, number) => {
        item.hidden = !names[number].includes(wanted);
        shown += !item.hidden;
      });
      for (const fold of section.querySelectorAll("details")) fold.open = wanted !== "" && fold.querySelector("li:not([hidden])") !== null;
      matches.textContent = wanted === "" ? "" : `${shown} of ${items.length} shown`;
    };
    input.addEventListener("input", filter);
    input.closest("p").hidden = false;
  }
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.closest("details");
    if (fold) { fold.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", open);
  if (location.hash) open();
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.printed:not([open])")];
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
  });
})();
