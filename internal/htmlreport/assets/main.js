// Puts the page together, and its search.
"use strict";
page.matchers = []; // functions that look for a text and give how often they found it

page.search = function (text) {
  text = text.trim().toLowerCase();
  const hits = document.getElementById("hits");
  let found = 0;
  if (text) page.waiting.splice(0).forEach((make) => make());
  for (const e of document.querySelectorAll(".searchable")) {
    const conn = e.classList.contains("conn") ? e.firstElementChild.textContent + (e.querySelector(".story")?.textContent || page.sentencesOf(Number(e.dataset.connection))) : e.textContent;
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

page.start = function () {
  page.load();
  document.getElementById("title").textContent = page.visible(page.made.title);
  const a = page.analysis;
  const start = a.captures.map((c) => c.first_time).filter((t) => t).sort()[0];
  document.getElementById("subtitle").textContent = page.counted(a.totals.packets, "packet", "packets") + ", " + page.counted(a.connections.length, "connection", "connections") +
    (start ? ", from " + start.slice(0, 19).replace("T", " ") + " UTC" : "");
  for (const part of [page.overview, page.connections, page.findings, page.capture]) part();
  document.getElementById("nav").append(...page.sections.map((s) => page.make("a", { href: "#" + s.id }, s.title)));
  document.getElementById("footer").textContent = page.visible(page.made.made);
  const box = document.getElementById("search");
  box.addEventListener("input", () => page.search(box.value));
  box.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && /^\d+$/.test(box.value.trim())) { page.search(""); page.jump(Number(box.value)); }
    if (e.key === "Escape") { box.value = ""; page.search(""); }
  });
  document.addEventListener("keydown", (e) => { if (e.key === "/" && e.target === document.body) { e.preventDefault(); box.focus(); } });
  page.first();
  page.drawnAt = performance.now();
  document.documentElement.dataset.ready = "true";
};

// first opens the worst connection, where a page has few, and makes the elements of plots of
// all others that have some.
page.first = function () {
  for (const c of page.pictures.connections) {
    page.makers.get(c.id)?.call(null, false);
    page.panels.get(c.id)?.make();
  }
  document.querySelectorAll("details.group").forEach((e) => { e.open = false; });
  const bad = page.pictures.connections.find((c) => page.lane.get(c.id)?.bad);
  const one = bad || (page.lanes.lanes.length === 1 ? page.pictures.connections[0] : undefined);
  if (one && page.lanes.lanes.length <= page.fewConnections) page.openAt(one.id);
};

// Up to so many connections the worst one is open when the page is.
page.fewConnections = 20;
page.start();
