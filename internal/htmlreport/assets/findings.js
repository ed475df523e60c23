// Rules that were broken, and what was noticed, with their frames: one line a rule, which opens.
"use strict";
page.owners.push((n) => page.analysis.findings.find((f) => f.frame === n && f.connection !== undefined)?.connection);

page.findings = function () {
  const all = page.analysis.findings, s = page.section("findings", "Findings", true, all.length);
  if (all.length === 0) {
    s.append(page.make("p", {}, "No findings."));
    return;
  }
  for (const severity of ["error", "warn", "note"]) {
    const by = new Map();
    for (const f of all) {
      if (f.severity !== severity) continue;
      if (!by.has(f.rule)) by.set(f.rule, []);
      by.get(f.rule).push(f);
    }
    for (const [rule, list] of by) {
      const inner = page.make("div", {}), box = page.make("details", { class: "rule" }, page.make("summary", {}, page.make("span", { class: "badge " + severity }, severity), " " + rule, page.make("span", { class: "count" }, page.number(list.length))), inner);
      page.later(box, () => inner.append(page.findingList(list, 2000)));
      s.append(box);
    }
  }
};

// findingList tells findings one by one.
page.findingList = function (list, most, name = "searchable") {
  const items = list.slice(0, most).map((f) => page.make("li", { class: name },
    page.make("span", { class: "when" }, page.clock(f.time), f.connection === undefined ? "" : " #" + f.connection + (f.direction ? " " + f.direction : "")),
    page.make("span", {}, f.rule + ": " + f.message, f.frame ? [" ", page.frame(f.frame, f.connection)] : "")));
  if (list.length > most) items.push(page.make("li", {}, page.number(list.length - most) + " more are in the data of this page."));
  return page.make("ul", { class: "findings" }, items);
};
