// The table of connections, which sorts by any column.
"use strict";
page.connections = function () {
  const s = page.section("connections", "Connections");
  const why = new Map(page.explain.connections.map((c) => [c.id, c.verdict.cause]));
  const lost = (c) => ["a", "b"].reduce((n, d) => {
    const l = c.directions[d].lost || {};
    return n + (l.before_capture || 0) + (l.after_capture || 0);
  }, 0);
  const ping = (c) => { const a = c.directions.a.rtt, b = c.directions.b.rtt; return a && b ? a.p50_ms + b.p50_ms : null; };
  const columns = [
    ["#", (c) => c.id], ["Protocol", (c) => c.protocol], ["a", (c) => c.a.address], ["b", (c) => c.b.address],
    ["Start", (c) => c.first_time || "", page.clock], ["End", (c) => c.last_time || "", page.clock], ["Why it ended", (c) => why.get(c.id) || c.state],
    ["Frames", (c) => page.sum(c, "frames")], ["Bytes", (c) => page.sum(c, "bytes")], ["Messages", (c) => page.sum(c, "messages")],
    ["Retries", (c) => page.sum(c, "retries")], ["Lost, proven", lost], ["Ping", ping, page.ms],
    ["Findings", (c) => c.findings.error + c.findings.warn + c.findings.note],
  ];
  const body = page.make("tbody"), drawn = new Set(page.pictures.connections.map((p) => p.id));
  const rows = page.analysis.connections.map((c) => ({ c, values: columns.map((x) => x[1](c)), row: null }));
  function row({ c, values }) {
    const cells = values.map((v, i) => page.make("td", { class: typeof v === "number" ? "n" : null },
      columns[i][2] ? columns[i][2](v) : typeof v === "number" ? page.number(v) : v));
    if (drawn.has(c.id)) cells[0].replaceChildren(page.make("a", { href: "#plots-" + c.id }, String(c.id)));
    return page.make("tr", { class: "searchable", "data-connection": c.id }, cells);
  }
  let by = 0, down = false;
  const heads = columns.map((x, i) => page.make("th", { scope: "col", "aria-sort": "none" },
    page.make("button", { type: "button", onclick: () => { down = by === i ? !down : typeof rows[0]?.values[i] === "number" && i > 0; by = i; sort(); } }, x[0])));
  function sort() {
    const key = (r) => r.values[by] ?? -1;
    rows.sort((x, y) => (key(x) < key(y) ? -1 : key(x) > key(y) ? 1 : x.values[0] - y.values[0]) * (down ? -1 : 1));
    body.replaceChildren(...rows.slice(0, page.mostRows).map((r) => r.row ??= row(r)));
    heads.forEach((h, i) => h.setAttribute("aria-sort", i !== by ? "none" : down ? "descending" : "ascending"));
  }
  sort();
  s.append(page.make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table of connections" },
    page.make("table", {}, page.make("thead", {}, page.make("tr", {}, heads)), body)));
  if (page.pictures.unlisted) {
    s.append(page.make("p", {}, "These are the worst: " + page.number(page.pictures.unlisted) + " more connections are not in this page; --connection and -Y choose others."));
  }
  if (rows.length > page.mostRows) {
    s.append(page.make("p", {}, "The first " + page.number(page.mostRows) + " of " + page.number(rows.length) + " in this order; all of them are in the data of this page."));
  }
};

page.mostRows = 2000;
