// Rules that were broken, and what was noticed, with their frames.
"use strict";
page.owners.push((n) => page.analysis.findings.find((f) => f.frame === n && f.connection !== undefined)?.connection);

page.findings = function () {
  const s = page.section("findings", "Findings");
  const all = page.analysis.findings;
  if (all.length === 0) {
    s.append(page.make("p", {}, "No findings."));
    return;
  }
  const most = 2000;
  for (const severity of ["error", "warn", "note"]) {
    const list = all.filter((f) => f.severity === severity);
    if (list.length === 0) continue;
    const body = page.make("tbody");
    for (const f of list.slice(0, most)) {
      body.append(page.make("tr", { class: "searchable" },
        page.make("td", {}, f.rule), page.make("td", {}, f.connection === undefined ? "–" : "#" + f.connection + (f.direction ? " " + f.direction : "")),
        page.make("td", {}, page.clock(f.time)), page.make("td", {}, f.frame ? page.frame(f.frame, f.connection) : "–"), page.make("td", {}, f.message)));
    }
    s.append(page.make("details", { open: severity === "note" && list.length > 20 ? null : "" },
      page.make("summary", {}, page.make("span", { class: "badge " + severity }, severity), " " + page.number(list.length)),
      page.make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Findings: " + severity }, page.make("table", {},
        page.make("thead", {}, page.make("tr", {}, ["Rule", "Connection", "Time", "Frame", "What"].map((h) => page.make("th", { scope: "col" }, h)))), body)),
      list.length > most ? page.make("p", {}, page.number(list.length - most) + " more are in the data of this page.") : null));
  }
};
