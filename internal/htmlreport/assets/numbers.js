// The table of connections, which sorts by any column. Columns that do not fit are left out,
// the last ones first; a wide window shows all.
"use strict";
page.connections = function () {
  const s = page.section("connections", "All numbers", true);
  const why = new Map(page.explain.connections.map((c) => [c.id, c.verdict.cause]));
  const lost = (c) => ["a", "b"].reduce((n, d) => {
    const l = c.directions[d].lost || {};
    return n + (l.before_capture || 0) + (l.after_capture || 0);
  }, 0);
  const ping = (c) => { const a = c.directions.a.rtt, b = c.directions.b.rtt; return a && b ? a.p50_ms + b.p50_ms : null; };
  // name, value, words, the class of windows that show it
  const columns = [
    ["#", (c) => c.id], ["Protocol", (c) => c.protocol, null, "w2"], ["a", (c) => c.a.address, null, "w1"], ["b", (c) => c.b.address, null, "w3"],
    ["Start", (c) => c.first_time || "", page.clock, "w3"], ["End", (c) => c.last_time || "", page.clock, "w4"], ["Why it ended", (c) => why.get(c.id) || c.state],
    ["Frames", (c) => page.sum(c, "frames")], ["Bytes", (c) => page.sum(c, "bytes"), null, "w2"], ["Messages", (c) => page.sum(c, "messages"), null, "w4"],
    ["Retries", (c) => page.sum(c, "retries")], ["Lost, proven", lost, null, "w2"], ["Ping", ping, page.ms, "w2"],
    ["Findings", (c) => c.findings.error + c.findings.warn + c.findings.note, null, "w3"],
  ];
  const body = page.make("tbody");
  const rows = page.analysis.connections.map((c) => ({ c, values: columns.map((x) => x[1](c)), row: null }));
  const classes = (i, v) => [typeof v === "number" ? "n" : "", columns[i][3] || ""].join(" ").trim() || null;
  function row({ c, values }) {
    const cells = values.map((v, i) => page.make("td", { class: classes(i, v) }, columns[i][2] ? columns[i][2](v) : typeof v === "number" ? page.number(v) : v));
    cells[0].replaceChildren(page.make("button", { type: "button", class: "frame", onclick: () => page.goTo(c.id) }, String(c.id)));
    return page.make("tr", { class: "searchable", "data-connection": c.id }, cells);
  }
  let by = 0, down = false;
  const heads = columns.map((x, i) => page.make("th", { scope: "col", "aria-sort": "none", class: x[3] },
    page.make("button", { type: "button", onclick: () => { down = by === i ? !down : typeof rows[0]?.values[i] === "number" && i > 0; by = i; sort(); } }, x[0])));
  function sort() {
    const key = (r) => r.values[by] ?? -1;
    rows.sort((x, y) => (key(x) < key(y) ? -1 : key(x) > key(y) ? 1 : x.values[0] - y.values[0]) * (down ? -1 : 1));
    body.replaceChildren(...rows.slice(0, page.mostRows).map((r) => r.row ??= row(r)));
    heads.forEach((h, i) => h.setAttribute("aria-sort", i !== by ? "none" : down ? "descending" : "ascending"));
  }
  page.later(s, () => {
    sort();
    s.append(page.make("table", { class: "grid" }, page.make("thead", {}, page.make("tr", {}, heads)), body));
    if (rows.length > page.mostRows) {
      s.append(page.make("p", {}, "The first " + page.number(page.mostRows) + " of " + page.number(rows.length) + " in this order; all of them are in the data of this page."));
    }
  });
};

// goTo opens a connection and moves there.
page.goTo = function (id) {
  const p = page.openAt(id);
  if (p) page.show(p);
};

page.mostRows = 2000;
