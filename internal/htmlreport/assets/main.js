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
  document.getElementById("subtitle").textContent = page.number(a.totals.packets) + " packets, " + page.number(a.connections.length) + (a.connections.length === 1 ? " connection" : " connections") +
    (a.captures.length && a.captures[0].first_time ? ", from " + a.captures[0].first_time.slice(0, 19).replace("T", " ") + " UTC" : "");
  for (const part of [page.happened, page.connections, page.plots, page.ladder, page.findings, page.capture]) part();
  document.getElementById("nav").append(...page.sections.map((s) => page.make("a", { href: "#" + s.id }, s.title)));
  document.getElementById("footer").textContent = page.visible(page.made.made);
  const box = document.getElementById("search");
  box.addEventListener("input", () => page.search(box.value));
  box.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && /^\d+$/.test(box.value.trim())) page.jump(Number(box.value));
    if (e.key === "Escape") { box.value = ""; page.search(""); }
  });
  document.addEventListener("keydown", (e) => { if (e.key === "/" && e.target === document.body) { e.preventDefault(); box.focus(); } });
  page.drawnAt = performance.now();
  document.documentElement.dataset.ready = "true";
};
page.start();
