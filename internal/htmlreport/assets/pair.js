// What two captures of one session show together: words, numbers, how long each direction took
// over time, and the moments that count. A page of one capture has none of it.
"use strict";
page.pair = page.compare = null;

// pairSection tells of all connections what became of their datagrams between the captures.
page.pairSection = function () {
  if (!document.getElementById("pair")) return;
  page.load("pair", "compare");
  const s = page.section("both", "Both captures"), p = page.pair, number = (d, fate) => d.fates[fate] || 0;
  s.append(page.make("p", { class: "lead" }, p.points[0]), [...p.points.slice(1), ...p.clocks].map((words) => page.make("p", { class: "small" }, words)).reduce((box, e) => { box.append(e); return box; }, page.make("div", {})));
  const sent = (d) => Object.values(d.fates).reduce((n, x) => n + x, 0), way = (d) => (d.one_way_ms ? page.ms(d.one_way_ms.p50) + ", 95%: " + page.ms(d.one_way_ms.p95) : "–");
  const when = [null, "w1", null, null, "w2", null, "w2", "w3"]; // windows that show a column
  const rows = page.compare.connections.map((c, i) => {
    const x = p.connections[i], { a, b } = c.directions, queue = Math.max(...[a, b].map((d) => d.queue_ms?.max ?? -1));
    const open = x.of === undefined ? String(c.id) : page.make("button", { type: "button", class: "frame", title: "show it", onclick: () => page.once(() => page.goTo(x.of)) }, String(c.id));
    const cells = [open, x.who, x.line, ...[a, b].flatMap((d) => [page.number(number(d, "lost_between")) + " of " + page.number(sent(d)), way(d)]), queue < 0 ? "–" : page.ms(queue)];
    return page.make("tr", { class: "searchable", "data-both": c.id, "data-lost": number(a, "lost_between") + number(b, "lost_between") }, cells.map((v, i) => page.make("td", { class: when[i] }, v)));
  });
  const heads = ["#", "Who", "How it ended", "Lost from a", "One way from a", "Lost from b", "One way from b", "Longest queue"];
  s.append(page.make("table", { class: "grid both" }, page.make("thead", {}, page.make("tr", {}, heads.map((h, i) => page.make("th", { scope: "col", class: when[i] }, h)))), page.make("tbody", {}, rows)));
  for (const x of p.connections.filter((c) => c.of === undefined && !c.quiet)) s.append(page.pairStory(x), ...page.pairMoments(x));
  s.append(page.make("p", { class: "small" }, "What follows is of the first capture alone, but for what stands under Both captures."));
};

// pairOf is what both captures show of a connection of the first one.
page.pairOf = (id) => page.pair?.connections.filter((x) => x.of === id) || [];

// pairStory says it in words, with the fates of what each side sent.
page.pairStory = function (x) {
  const c = page.compare.connections.find((c) => c.id === x.id), fates = [...new Set(["a", "b"].flatMap((d) => Object.keys(c.directions[d].fates)))];
  const words = { delivered: "delivered", lost_between: "lost between the captures", missed_by_first: "missed by the first capture", missed_by_second: "missed by the second capture", uncertain: "uncertain: lost, or missed", lost_before: "lost before the first point", missed_by_both: "missed by both", outside: "outside of the other capture" };
  const row = (name, of) => page.make("tr", { "data-fate": name }, page.make("th", { scope: "row" }, words[name] || name), ["a", "b"].map((d) => page.make("td", { class: "n" }, of(c.directions[d]))));
  const more = ["copies", "altered", "reordered"].filter((k) => c.directions.a[k] + c.directions.b[k] > 0);
  const bound = c.directions.a.one_way_ms?.bound_ms ?? c.directions.b.one_way_ms?.bound_ms;
  const times = [["one_way_ms", "min", "one way, least"], ["one_way_ms", "p50", "one way, half"], ["one_way_ms", "p95", "one way, 95%"], ["one_way_ms", "max", "one way, longest"], ["queue_ms", "p95", "queue, 95%"], ["queue_ms", "max", "queue, longest"]];
  const table = page.make("table", { class: "grid fates" }, page.make("thead", {}, page.make("tr", {}, page.make("th", {}, "datagrams of"), x.sides.map((s, i) => page.make("th", { scope: "col" }, "ab"[i] + ", " + s)))),
    page.make("tbody", {}, fates.map((f) => row(f, (d) => page.number(d.fates[f] || 0))), more.map((k) => row(k, (d) => page.number(d[k]))),
      times.filter(([k]) => ["a", "b"].some((d) => c.directions[d][k])).map(([k, part, name]) => row(name, (d) => (d[k] ? page.ms(d[k][part]) : "–")))));
  return page.make("section", { class: "part pair-story", "data-both-connection": x.id, "aria-label": "Both captures" }, page.make("h4", {}, "Both captures: " + x.line),
    x.sentences.map((words, i) => page.make("p", { class: i ? "small" : "verdict" }, words)), table,
    bound === undefined ? null : page.make("p", { class: "small" }, "One way times are ± " + page.ms(bound) + ", half the shortest round trip between the captures; queues are exact."));
};

// pairMoments are the moments that count of a connection.
page.pairMoments = function (x) {
  const all = (page.pair.moments || []).filter((m) => m.connection === x.id);
  return all.length ? [page.make("section", { class: "part", "aria-label": "Moments, from one capture to the other" }, page.make("h4", {}, "Moments, from one capture to the other"), all.map((m, i) => page.moment(m, i === 0)))] : [];
};

// moment is a picture of a stretch of time, datagram by datagram.
page.moment = function (m, open) {
  const svg = document.importNode(new DOMParser().parseFromString(m.svg, "image/svg+xml").documentElement, true);
  return page.make("details", { class: "part moment", "data-moment": m.connection, open: open ? "" : null }, page.make("summary", {}, m.title), page.make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": m.title }, svg));
};

page.keysOf.way = [["k-dot c-sent", "one way: longest in a while"], ["k-line c-acked", "one way: half of them"], ["k-line k-broken c-window", "least: what is above it is a queue"], ["k-cross c-loss", "lost between the captures"]];

// waysOf puts what both captures show over time to the sides of a picture.
page.waysOf = function (picture) {
  for (const x of page.pairOf(picture.id)) {
    const c = page.compare.connections.find((c) => c.id === x.id);
    for (const d of ["a", "b"]) {
      const of = c.directions[x.swapped ? (d === "a" ? "b" : "a") : d], list = of.intervals || [];
      if (!list.length) continue;
      const known = list.some((v) => v.one_way_ms), values = (part) => list.map((v) => (known ? v.one_way_ms : v.queue_ms)?.[part] ?? null), least = known ? of.one_way_ms.min : 0;
      const half = (page.msOf(list[0].to) - page.msOf(list[0].from)) / 2;
      picture.directions[d].way = { t: list.map((v) => (page.msOf(v.from) + half - picture.base_ms) / 1000), lost: list.map((v) => v.lost_between), list: [
        { label: known ? "one way" : "queue", values: values("max"), colour: "sent", points: 4 },
        { label: "half", values: values("p50"), colour: "acked", line: true },
        { label: "least", values: list.map(() => least), colour: "window", line: true, dash: [5, 4] },
        { label: "lost between", values: list.map((v) => (v.lost_between ? least / 2 : null)), colour: "loss", points: 6, mark: "cross" },
      ] };
    }
  }
};
