// Puts the page together, and its search.
"use strict";
page.matchers = []; // functions that look for a text and give how often they found it

page.search = function (text) {
  text = text.trim().toLowerCase();
  const hits = document.getElementById("hits");
  let found = 0;
  for (const e of document.querySelectorAll(".searchable")) {
    const ok = !text || e.textContent.toLowerCase().includes(text);
    e.classList.toggle("hidden", !ok);
    if (ok && text) found++;
  }
  if (!text) { hits.textContent = ""; return; }
  for (const f of page.matchers) found += f(text);
  hits.textContent = found + (found === 1 ? " hit" : " hits");
};

page.start = function () {
  page.load();
  document.getElementById("title").textContent = page.visible(page.made.title);
  const a = page.analysis;
  const start = a.captures.map((c) => c.first_time).filter((t) => t).sort()[0];
  document.getElementById("subtitle").textContent = page.counted(a.totals.packets, "packet", "packets") + ", " + page.counted(a.connections.length, "connection", "connections") +
    (start ? ", from " + start.slice(0, 19).replace("T", " ") + " UTC" : "");
  for (const part of [page.happened, page.connections, page.plots, page.ladder, page.findings, page.capture]) part();
  document.getElementById("nav").append(...page.sections.map((s) => page.make("a", { href: "#" + s.id }, s.title)));
  document.getElementById("footer").textContent = page.visible(page.made.made);
  const box = document.getElementById("search");
  box.addEventListener("input", () => page.search(box.value));
  box.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && /^\d+$/.test(box.value.trim())) { page.search(""); page.jump(Number(box.value)); }
    if (e.key === "Escape") { box.value = ""; page.search(""); }
  });
  document.addEventListener("keydown", (e) => { if (e.key === "/" && e.target === document.body) { e.preventDefault(); box.focus(); } });
  page.drawnAt = performance.now();
  document.documentElement.dataset.ready = "true";
};
page.start();
