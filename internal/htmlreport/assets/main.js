// Puts the page together, and its search.
"use strict";
page.matchers = []; // functions that look for a text and give how often they found it

page.search = function (text) {
  text = text.trim().toLowerCase();
  const hits = document.getElementById("hits");
  let found = 0;
  if (text) page.waiting.splice(0).forEach((make) => make());
  for (const e of document.querySelectorAll(".searchable")) {
    const conn = e.classList.contains("conn") ? e.firstElementChild.textContent + page.sentencesOf(Number(e.dataset.connection)) : e.textContent;
    const ok = !text || conn.toLowerCase().includes(text);
    e.classList.toggle("hidden", !ok);
    if (ok && text) {
      found++;
      for (let p = e.parentElement; p; p = p.parentElement) if (p.tagName === "DETAILS" && !p.classList.contains("conn")) p.open = true;
    }
  }
  if (!text) { hits.textContent = ""; return; }
  for (const f of page.matchers) found += f(text);
  hits.textContent = found + (found === 1 ? " hit" : " hits");
};

// sentencesOf are those of a connection whose text was not made yet.
page.sentencesOf = function (id) {
  const c = page.told.get(id);
  return [c.verdict.sentence, ...(c.contributing || []).map((x) => x.sentence)].join(" ");
};

// start draws the overview, while the analysis is still being read.
page.start = function () {
  page.load("explain", "pictures", "lanes", "ladders", "made");
  page.dated = new Set(page.days()).size > 1;
  document.getElementById("title").textContent = page.visible(page.made.title);
  document.getElementById("footer").textContent = page.visible(page.made.made);
  page.pairSection();
  page.overview();
  page.overviewAt = performance.now();
  document.addEventListener("DOMContentLoaded", page.finish);
};

// finish adds what needs the analysis.
page.finish = function () {
  page.load("analysis");
  page.counts = new Map(page.analysis.connections.map((c) => [c.id, c]));
  page.whole = true;
  const a = page.analysis;
  const start = a.captures.map((c) => c.first_time).filter((t) => t).sort()[0];
  document.getElementById("subtitle").textContent = page.counted(a.totals.packets, "packet", "packets") + ", " + page.counted(a.connections.length, "connection", "connections") +
    (start ? ", from " + start.slice(0, 19).replace("T", " ") + " UTC" : "");
  for (const part of [page.connections, page.findings, page.capture]) part();
  document.getElementById("nav").append(...page.sections.map((s) => page.make("a", { href: "#" + s.id }, s.title)));
  page.searchBox();
  page.first();
  page.wanted.splice(0).forEach((work) => work());
  page.drawnAt = performance.now();
  document.documentElement.dataset.ready = "true";
};

page.searchBox = function () {
  const box = document.getElementById("search");
  box.addEventListener("input", () => page.search(box.value));
  box.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && /^\d+$/.test(box.value.trim())) { page.search(""); page.jump(Number(box.value)); }
    if (e.key === "Escape") { box.value = ""; page.search(""); }
  });
  document.addEventListener("keydown", (e) => { if (e.key === "/" && e.target === document.body) { e.preventDefault(); box.focus(); } });
};

// first opens the worst connection of a page that has few, and makes what all others with
// plots have below their lanes; where there are many, that waits until it is asked for.
page.first = function () {
  const all = page.pictures.connections, few = page.lanes.lanes.length;
  const make = () => {
    for (const c of all) {
      page.makers.get(c.id)?.(true);
      page.panels.get(c.id)?.make();
    }
  };
  if (few <= page.fewPanels) make(); else page.waiting.push(make);
  const worst = all.find((c) => page.lane.get(c.id)?.bad) || all.find((c) => page.lane.has(c.id) && page.doubtful(page.lane.get(c.id))) || (few === 1 ? all[0] : undefined);
  if (worst && few <= page.fewConnections) page.openAt(worst.id);
};

page.fewConnections = 20; // of which the worst is open at first
page.fewPanels = 100; // of which all are ready to be opened
page.start();
