// The plots: for each side of a connection what it sent over time, its round trips, what was
// in flight, and its rate. All plots of a connection show the same span of time.
"use strict";
page.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

page.plots = function () {
  const s = page.section("plots", "Plots");
  if (page.pictures.left_out) {
    s.append(page.make("p", {}, "Of " + page.number(page.pictures.left_out) + " more connections there are no plots here; --connection N draws one of them."));
  }
  s.append(page.make("p", { class: "keys" }, "Drag to zoom, double-click to see all. Keys on a focused plot: + and − zoom, arrows move, 0 shows all, n and p go to the next and the previous event.",
    ...[["sent", "sent"], ["acked", "acknowledged up to"], ["window", "window: the last number that may be sent"], ["sacked", "acknowledged one by one (SACK)"], ["retry", "retry ▲"], ["unneeded", "retry of what was acknowledged ▼"], ["loss", "proven lost ✕"], ["closing", "opens or closes ┆"], ["finding", "finding ●"]]
      .flatMap(([c, text]) => [page.make("span", { class: "swatch c-" + c }), text])));
  for (const c of page.pictures.connections) page.drawConnection(s, c);
};

page.drawConnection = function (s, c) {
  const about = page.explain.connections.find((x) => x.id === c.id);
  s.append(page.make("h3", { id: "plots-" + c.id }, "#" + c.id + (about ? " " + about.protocol + ": a " + about.a + ", b " + about.b : "")));
  const group = { base: c.base_ms, plots: [], span: [Infinity, -Infinity] };
  for (const d of ["a", "b"]) {
    c.directions[d].findings = page.findingsOf(c, d);
    const t = c.directions[d].t;
    if (t.length) group.span = [Math.min(group.span[0], t[0]), Math.max(group.span[1], t[t.length - 1])];
  }
  const dropped = c.directions.a.dropped + c.directions.b.dropped;
  if (dropped) s.append(page.make("p", { class: "dropped" }, page.number(dropped) + " more retries and losses are not drawn; --from and --to choose a part."));
  if (!(group.span[1] > group.span[0])) group.span = [group.span[0] - 0.001, group.span[0] + 0.001];
  const pair = page.make("div", { class: "pair" });
  s.append(pair);
  const later = []; // all boxes stand before the first is measured
  for (const kind of page.kinds) {
    for (const d of ["a", "b"]) {
      const data = c.directions[d];
      if (data.t.length && kind.has(data)) later.push(page.chartOf(pair, group, c, d, kind));
    }
  }
  if (later.length === 0) pair.append(page.make("p", {}, "No frame of it has a time, so there are no plots."));
  for (const draw of later) draw();
  page.owners.push((frame) => (page.timeOf(c, frame).exact ? c.id : undefined));
  page.jumps.push((frame, connection) => (connection === c.id ? page.showFrame(group, c, frame) : null));
};

// findingsOf are the findings on a side, or on both, as events at the top of its plot.
page.findingsOf = (c, d) => page.analysis.findings.filter((f) => f.connection === c.id && (!f.direction || f.direction === d) && f.time)
  .map((f) => [(Date.parse(f.time.slice(0, 23) + "Z") - c.base_ms) / 1000, null, f.frame, f.rule + ": " + f.message, f.severity]);

// Each kind of plot names its series: label, values, colour, and how it is drawn.
page.kinds = [
  {
    id: "sequence", title: "what it sent, by number", has: () => true, height: 260, events: true, whole: true,
    series: (x) => [
      { label: "number", values: x.sent_max, colour: "sent", points: 4 },
      { label: "number, least", values: x.sent_min, colour: "sent", points: 4, hide: page.same(x.sent_min, x.sent_max) },
      { label: "acknowledged up to", values: page.filled(x.acked_max), captured: x.acked_max, colour: "acked", line: true, step: true, hide: !x.acked_max.some((v) => v !== null) },
      { label: "window", values: page.windowOf(x), captured: [], colour: "window", line: true, step: true, dash: [5, 4], hide: !x.window || !x.acked_max.some((v) => v !== null) },
      { label: "acknowledged one by one", values: x.sacked_max, colour: "sacked", points: 3, hide: !x.sacked_max.some((v) => v !== null) },
      { label: "one by one, least", values: x.sacked_min, colour: "sacked", points: 3, hide: page.same(x.sacked_min, x.sacked_max) },
    ],
  },
  { id: "rtt", title: "round trips, and waits for acknowledgement, ms", has: (x) => [x.rtt_max_ms, x.ack_wait_max_ms, x.paired_rtt_max_ms, x.ping_rtt_max_ms].some((list) => list && list.some((v) => v !== null)), height: 150, zero: true,
    series: (x) => [...page.longestOf(x), { label: "longest", values: x.rtt_max_ms, colour: "sent", points: 4 }, { label: "shortest", values: x.rtt_min_ms, colour: "acked", points: 3, hide: page.same(x.rtt_min_ms, x.rtt_max_ms) }] },
  { id: "inflight", title: "in flight: sent and not acknowledged", whole: true, has: (x) => x.in_flight.some((v) => v !== null), height: 150, zero: true,
    series: (x) => [{ label: "numbers", values: x.in_flight, colour: "sent", line: true, points: 2 }, { label: "bytes", values: x.in_flight_bytes, colour: "sacked", line: true, scale: "bytes" }] },
  { id: "rate", title: "rate, kB/s", has: (x) => x.bytes.some((v) => v !== null), height: 150, zero: true, rates: true,
    series: (x, span) => page.rates(x, span) },
];

// wholes are the distances of ticks where there are no parts of one.
page.wholes = Array.from({ length: 13 }, (_, i) => [1, 2, 5].map((k) => k * 10 ** i)).flat();

// longestOf are the series of what else was measured: where nothing was sent again, waits are
// round trips.
page.longestOf = (x) => [["longest wait", "ack_wait_max_ms", "retry"], ["longest, paired", "paired_rtt_max_ms", "sacked"], ["longest ping", "ping_rtt_max_ms", "window"]]
  .filter(([, key]) => x[key] && !page.same(x[key], x.rtt_max_ms))
  .map(([label, key, colour]) => ({ label, values: x[key], colour, points: 5 }));

// same says that two series are one.
page.same = (x, y) => x.every((v, i) => v === y[i]);

// filled carries the last value on: what was acknowledged stays so.
page.filled = (list) => { let last = null; return list.map((v) => (last = v ?? last)); };

// windowOf is the last number that may be sent at a time, where the protocol has a window.
page.windowOf = (x) => page.filled(x.acked_max).map((v) => (v === null ? null : v + x.window - 1));

// rates adds bytes up over steps of a two-hundredth of the span.
page.rates = function (x, span) {
  const step = Math.max((span[1] - span[0]) / 200, x.width, 1e-3), t = [], kb = [];
  for (let i = 0; i < x.t.length; i++) {
    const at = Math.floor((x.t[i] - span[0]) / step) * step + span[0];
    while (t.length && t[t.length - 1] < at - step * 1.5) { t.push(t[t.length - 1] + step); kb.push(0); }
    if (!t.length || t[t.length - 1] < at - step / 2) { t.push(at); kb.push(0); }
    kb[kb.length - 1] += (x.bytes[i] || 0) / 1000 / step;
  }
  return { t, list: [{ label: "kB/s", values: kb, colour: "sent", line: true, step: true }] };
};

// chartOf makes the element of a plot, and gives what draws it.
page.chartOf = function (parent, group, c, d, kind) {
  const x = c.directions[d];
  const made = kind.series(x, group.span), t = kind.rates ? made.t : x.t, series = (kind.rates ? made.list : made).filter((s) => !s.hide);
  const retries = x.marks.filter((m) => m[4] !== "closing").reduce((n, m) => n + m[3], 0);
  const losses = x.losses.filter((l) => l[3] !== "not-captured").length;
  const points = series.reduce((n, s) => n + (s.captured || s.values).reduce((k, v) => k + (v === null ? 0 : 1), 0), 0);
  const label = "Connection " + c.id + ", side " + d + ": " + kind.title + (kind.events ? "; " + page.counted(retries, "retry", "retries") + ", " + page.counted(losses, "proven loss", "proven losses") : "");
  const status = page.make("p", { class: "status", role: "status" });
  const box = page.make("div", { class: "chart", tabindex: "0", role: "group", "aria-label": label, "data-chart": kind.id, "data-connection": c.id, "data-direction": d,
    "data-points": points, "data-retries": kind.events ? retries : 0, "data-losses": kind.events ? losses : 0 },
    page.make("h4", {}, d + ": " + kind.title));
  parent.append(box);
  return () => page.drawChart(box, status, group, x, kind, t, series);
};

page.drawChart = function (box, status, group, x, kind, t, series) {
  const clock = (v, length) => page.clockOf(group.base + v * 1000, length);
  const axis = { stroke: () => page.colour("dim"), grid: { stroke: () => page.colour("line"), width: 1 }, ticks: { stroke: () => page.colour("line") }, font: "12px system-ui" };
  const options = {
    width: Math.max(320, box.clientWidth), height: kind.height, legend: { live: true },
    cursor: { drag: { x: true, y: false }, sync: { key: "c" + box.dataset.connection, setSeries: false } },
    scales: { x: { time: false, min: group.span[0], max: group.span[1] }, y: { range: (u, lo, hi) => page.bounds(kind, x, lo, hi, u) }, f: { range: [0, 1] }, bytes: { range: (u, lo, hi) => [0, (hi || 1) * 1.06] } },
    axes: [{ ...axis, values: (u, list) => list.map((v) => clock(v, u.scales.x.max - u.scales.x.min < 5 ? 12 : 8)), space: page.dated ? 160 : 90 }, { ...axis, size: 60, ...(kind.whole ? { incrs: page.wholes } : {}) }, ...(series.some((s) => s.scale) ? [{ ...axis, scale: "bytes", side: 1, size: 60, grid: { show: false } }] : [])],
    series: [{ label: "time", value: (u, v) => (v === null ? "–" : clock(v)) }, ...series.map((s) => ({
      label: s.label, scale: s.scale || "y", stroke: () => page.colour(s.colour), width: s.line ? (s.dash ? 1 : 1.5) : 0, dash: s.dash, paths: s.line ? (s.step ? uPlot.paths.stepped({ align: 1 }) : undefined) : () => null, spanGaps: true,
      points: s.points ? { show: true, size: s.points, fill: () => page.colour(s.colour), width: 0 } : { show: false },
      value: (u, v) => (v === null || v === undefined ? "–" : String(Math.round(v * 1000) / 1000)),
    }))],
    hooks: { setScale: [(u, key) => { if (key === "x") page.follow(group, u); }], draw: kind.events ? [(u) => page.drawEvents(u, x)] : [], setCursor: kind.events ? [(u) => page.tellNear(u, x, clock, status)] : [] },
  };
  const data = [t, ...series.map((s) => s.values)];
  if (kind.id === "sequence") {
    options.series.push({ label: "frame", scale: "f", stroke: "transparent", paths: () => null, points: { show: false }, value: (u, v) => (v ? String(v) : "–") });
    data.push(x.frame);
  }
  const u = new uPlot(options, data, box);
  box.append(status);
  u.over.addEventListener("dblclick", (e) => { e.stopImmediatePropagation(); page.showAll(group, u); }, true);
  box.addEventListener("keydown", (e) => {
    if (kind.events && (e.key === "n" || e.key === "p")) page.step(group, u, x, clock, status, e.key === "n" ? 1 : -1);
    else page.keys(e, group, u);
  });
  new ResizeObserver(() => {
    if (box.clientWidth && Math.abs(box.clientWidth - u.width) > 1) u.setSize({ width: box.clientWidth, height: kind.height });
  }).observe(box);
  group.plots.push(u);
  page.drawn.push(u);
};

// bounds are those of the vertical axis: of all that is drawn, events among them.
page.bounds = function (kind, x, lo, hi, u) {
  if (lo === null || lo === undefined) [lo, hi] = [0, 1];
  if (kind.events) {
    for (const list of [x.marks, x.losses]) {
      for (const m of list) {
        if (m[0] < u.scales.x.min || m[0] > u.scales.x.max) continue;
        lo = Math.min(lo, m[1]); hi = Math.max(hi, m[1]);
      }
    }
  }
  if (kind.zero) lo = 0;
  const room = (hi - lo || 1) * 0.06;
  return [kind.zero ? 0 : lo - room, hi + room];
};

// follow lets all plots of a connection show what one of them shows: those in view at once,
// the others when there is time. A plot that shows what the others do already, or what it
// did before, was not turned by a reader.
page.follow = function (group, from) {
  const { min, max } = from.scales.x, same = (span) => span && span.min === min && span.max === max;
  if (same(from.shown)) return;
  from.shown = { min, max };
  if (same(group.shown)) return;
  group.shown = from.shown;
  const show = (wanted) => {
    for (const u of group.plots) if (u !== from && wanted(u) && (u.scales.x.min !== group.shown.min || u.scales.x.max !== group.shown.max)) u.setScale("x", group.shown);
  };
  show((u) => page.inView(u.root));
  clearTimeout(group.later);
  group.later = setTimeout(() => show(() => true), 150);
};

page.inView = function (e) {
  const r = e.getBoundingClientRect();
  return r.bottom > 0 && r.top < innerHeight;
};

// drawEvents draws what no plot leaves out: retries, losses, and frames that open or close.
page.drawEvents = function (u, x) {
  const g = u.ctx, k = devicePixelRatio || 1, box = u.bbox;
  g.save();
  g.beginPath();
  g.rect(box.left, box.top, box.width, box.height);
  g.clip();
  const inside = (m) => m[0] >= u.scales.x.min && m[0] <= u.scales.x.max;
  // What covers the one before to the pixel is drawn with it.
  let lastX = NaN, lastY = NaN;
  const at = (m) => {
    const px = Math.round(u.valToPos(m[0], "x", true)), py = Math.round(u.valToPos(m[1], "y", true));
    if (px === lastX && py === lastY) return null;
    return [lastX = px, lastY = py];
  };
  let many = 0;
  for (const list of [x.marks, x.losses]) for (const m of list) if (inside(m)) many++;
  const size = many > 400 ? 2 : many > 100 ? 3 : 4;
  for (const [kind, colour, up] of [["closing", "closing", 0], ["retry", "retry", 1], ["unneeded-retry", "unneeded", -1]]) {
    g.fillStyle = g.strokeStyle = page.colour(colour);
    g.lineWidth = k;
    g.beginPath();
    for (const m of x.marks) {
      if (m[4] !== kind || !inside(m)) continue;
      const p = at(m), r = size * k;
      if (!p) continue;
      const [px, py] = p;
      if (up === 0) { g.moveTo(px, box.top); g.lineTo(px, box.top + box.height); continue; }
      g.moveTo(px - r, py + up * r * 0.7); g.lineTo(px + r, py + up * r * 0.7); g.lineTo(px, py - up * r); g.closePath();
    }
    if (up === 0) { g.setLineDash([4 * k, 4 * k]); g.stroke(); g.setLineDash([]); } else g.fill();
  }
  for (const f of x.findings.filter(inside)) {
    g.fillStyle = page.colour(f[4] === "note" ? "note" : f[4]);
    g.beginPath();
    g.arc(Math.round(u.valToPos(f[0], "x", true)), box.top + 4 * k, 3 * k, 0, 2 * Math.PI);
    g.fill();
  }
  for (const place of ["before", "after", "not-captured"]) {
    g.strokeStyle = page.colour(place === "not-captured" ? "missed" : "loss");
    g.lineWidth = 1.5 * k;
    g.beginPath();
    for (const l of x.losses) {
      if (l[3] !== place || !inside(l)) continue;
      const p = at(l), r = size * k;
      if (!p) continue;
      const [px, py] = p;
      g.moveTo(px - r, py - r); g.lineTo(px + r, py + r); g.moveTo(px - r, py + r); g.lineTo(px + r, py - r);
    }
    g.stroke();
  }
  g.restore();
};

const words = { retry: "retry", "unneeded-retry": "retry of what was acknowledged", closing: "opens or closes", before: "lost before the capture point", after: "lost after the capture point", "not-captured": "not captured" };

// tell says in words what an event is.
page.tell = function (m, clock) {
  const finding = m.length === 5 && m[1] === null;
  return (finding ? m[3] : words[m[m.length - 1]] + ": number " + m[1]) + (m[2] ? ", frame " + m[2] : "") + ", " + clock(m[0]);
};

// tellNear says what is under the cursor.
page.tellNear = function (u, x, clock, status) {
  const { left, top } = u.cursor;
  if (left === undefined || left < 0) return;
  let best = null, least = 100;
  for (const list of [x.losses, x.marks, x.findings]) {
    for (const m of list) {
      const dx = u.valToPos(m[0], "x") - left, dy = (m[1] === null ? 4 : u.valToPos(m[1], "y")) - top, far = dx * dx + dy * dy;
      if (far < least) [best, least] = [m, far];
    }
  }
  status.textContent = best ? page.tell(best, clock) : "";
};

// step goes to the next event of a plot, or with -1 to the one before, and says what it is.
page.step = function (group, u, x, clock, status, way) {
  const all = x.ordered ??= [...x.losses, ...x.marks, ...x.findings].sort((a, b) => a[0] - b[0]);
  if (all.length === 0) { status.textContent = "no events"; return; }
  x.at = x.at === undefined ? (way > 0 ? 0 : all.length - 1) : Math.min(Math.max(x.at + way, 0), all.length - 1);
  const m = all[x.at], { min, max } = u.scales.x, width = max - min;
  if (m[0] < min || m[0] > max) page.showSpan(group, u, m[0] - width / 2, width);
  status.textContent = page.counted(all.length, "event", "events") + ", " + (x.at + 1) + ": " + page.tell(m, clock);
};

// showAll shows the whole connection, whatever the plot itself has.
page.showAll = function (group, u) { u.setScale("x", { min: group.span[0], max: group.span[1] }); };

// keys zooms and moves by keys, within what there is.
page.keys = function (e, group, u) {
  const { min, max } = u.scales.x;
  let from = min, width = max - min;
  switch (e.key) {
    case "+": case "=": from += width / 4; width /= 2; break;
    case "-": case "_": from -= width / 2; width *= 2; break;
    case "ArrowLeft": from -= width / 5; break;
    case "ArrowRight": from += width / 5; break;
    case "0": case "Home": e.preventDefault(); page.showAll(group, u); return;
    default: return;
  }
  e.preventDefault();
  page.showSpan(group, u, from, width);
};

// showSpan shows so many seconds from a time on, within what there is.
page.showSpan = function (group, u, from, width) {
  width = Math.min(group.span[1] - group.span[0], Math.max(width, page.leastSpan));
  from = Math.min(Math.max(from, group.span[0]), group.span[1] - width);
  u.setScale("x", { min: from, max: from + width });
};

page.leastSpan = 1e-4; // seconds that a plot shows at least

// timeOf finds when a frame of a connection was captured: exact where it is a mark or the
// first frame of a column, else that of the column it lies in.
page.timeOf = function (c, frame) {
  let at = null;
  for (const d of ["a", "b"]) {
    const x = c.directions[d];
    for (const m of x.marks) if (m[2] === frame) return { at: m[0], exact: true };
    for (let i = 0; i < x.frame.length; i++) {
      if (x.frame[i] === null) continue;
      if (x.frame[i] === frame) return { at: x.t[i], exact: true };
      if (x.frame[i] > frame) break;
      at = Math.max(at ?? x.t[i], x.t[i]);
    }
  }
  return { at, exact: false };
};

// showFrame zooms the plots of a connection to a frame of it.
page.showFrame = function (group, c, frame) {
  const { at } = page.timeOf(c, frame);
  if (at === null || !group.plots.length) return null;
  const around = Math.max((group.span[1] - group.span[0]) / 40, 0.25);
  group.plots[0].setScale("x", { min: Math.max(group.span[0], at - around), max: Math.min(group.span[1], at + around) });
  return document.getElementById("plots-" + c.id);
};

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.redraw());
page.drawn = [];

// On paper there is one plot a line, as wide as a page.
page.paper = 660;
addEventListener("beforeprint", () => page.drawn.forEach((u) => u.setSize({ width: page.paper, height: u.height })));
addEventListener("afterprint", () => page.drawn.forEach((u) => u.setSize({ width: u.root.parentElement.clientWidth, height: u.height })));
page.redraw = () => page.drawn.forEach((u) => u.redraw());
