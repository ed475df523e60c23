// The plots of a connection, over one axis of time: how long each transmission waited for its
// acknowledgement, or what was sent by number, then what was in flight, and rates. Bands
// show how long each cause lasted. All of them zoom together and have one crosshair.
"use strict";
page.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// Margins of all plots, in pixels: they share one axis.
page.left = 58;
page.right = 14;

// views are what a reader chooses between; the other plots are always there.
page.views = [["delay", "Delay"], ["sequence", "Numbers"], ["rtt", "Round trips"]];

page.keysOf = {
  delay: [["k-dot c-sent", "sent: time until it was acknowledged"], ["k-up c-retry", "retry"], ["k-down c-unneeded", "spurious retry"], ["k-cross c-loss", "proven lost"], ["k-ring c-unacked", "never acknowledged"], ["k-bar c-acked", "paired round trip", "paired_rtt_max_ms"], ["k-dash c-sacked", "ping", "ping_rtt_max_ms"]],
  sequence: [["k-dot c-sent", "sent"], ["k-dash c-unreliable", "sent, unreliable", "unreliable_max"], ["k-line c-acked", "acknowledged up to"], ["k-line k-broken c-window", "window"], ["k-bar c-sacked", "acknowledged one by one (SACK)", "sacked_max"], ["k-up c-retry", "retry"], ["k-down c-unneeded", "spurious retry"], ["k-cross c-loss", "proven lost"]],
  rtt: [["k-dot c-sent", "longest"], ["k-dash c-acked", "shortest"], ["k-cross c-retry", "longest wait", "ack_wait_max_ms"], ["k-bar c-sacked", "longest, paired", "paired_rtt_max_ms"], ["k-square c-window", "longest ping", "ping_rtt_max_ms"]],
};

// plotsOf gives the plots of a connection; they are drawn when they are seen.
page.plotsOf = function (c, about) {
  page.waysOf(c);
  const group = { id: c.id, base: c.base_ms, plots: [], waiting: [], span: [Infinity, -Infinity], view: "delay", data: c.directions };
  for (const d of ["a", "b"]) {
    const x = c.directions[d];
    x.findings = page.findingsOf(c, d);
    if (x.t.length) group.span = [Math.min(group.span[0], x.t[0]), Math.max(group.span[1], x.t[x.t.length - 1])];
  }
  if (!(group.span[1] > group.span[0])) group.span = [group.span[0] - 0.001, group.span[0] + 0.001];
  group.causes = page.bandsOf(group, about);
  const box = page.make("section", { class: "plots", id: "plots-" + c.id, "data-connection": c.id, "aria-label": "Plots of connection " + c.id });
  const dropped = c.directions.a.dropped + c.directions.b.dropped;
  if (dropped) box.append(page.make("p", { class: "dropped" }, page.number(dropped) + " more retries and losses are not drawn; --from and --to choose a part."));
  group.readout = page.make("p", { class: "readout" }, page.make("span", {}, "Point at a plot: what all of them show at that moment stands here."));
  group.status = page.make("p", { class: "status", role: "status" });
  group.bands = page.make("div", { class: "bands" });
  const charts = page.make("div", { class: "charts", "data-view": "delay" });
  group.charts = charts;
  group.keys = page.make("p", { class: "keys" });
  box.append(page.toolbar(group, charts), group.keys, group.bands);
  for (const kind of page.kinds) {
    for (const d of ["a", "b"]) {
      const x = c.directions[d];
      if (x.t.length && kind.has(x)) group.waiting.push({ kind, draw: page.chartOf(charts, group, c, d, kind) });
    }
  }
  if (group.waiting.length === 0) charts.append(page.make("p", {}, "No frame of it has a time, so there are no plots."));
  group.axis = page.make("div", { class: "time-axis", "aria-hidden": "true" });
  box.append(charts, group.axis, group.readout, group.status);
  group.shown = { min: group.span[0], max: group.span[1] };
  group.draw = () => page.drawGroup(group);
  group.at = (ms) => page.showMoment(group, ms);
  group.drawBands = () => page.drawBands(group);
  page.groups.set(c.id, group);
  page.chooseView(group, "delay");
  page.owners.push((frame) => (page.timeOf(c, frame).exact ? c.id : undefined));
  page.jumps.push((frame, connection) => (connection === c.id ? page.showFrame(group, c, frame) : null));
  new ResizeObserver(() => page.drawBands(group)).observe(group.bands);
  return box;
};

// toolbar chooses a view and turns the plots.
page.toolbar = function (group, charts) {
  const button = (text, title, onclick, more) => page.make("button", { type: "button", title, onclick, ...more }, text);
  group.buttons = new Map(page.views.filter(([id]) => page.kinds.some((k) => k.id === id && ["a", "b"].some((d) => group.data[d].t.length && k.has(group.data[d])))).map(([id, text]) => [id, button(text, "show " + text.toLowerCase(), () => page.chooseView(group, id, true), { "aria-pressed": id === "delay" })]));
  const zoom = (key) => () => { const u = group.plots.find((p) => page.isShown(p)); if (u) page.keys({ key, preventDefault() {} }, group, u); };
  return page.make("div", { class: "toolbar" }, page.make("span", { class: "choice", role: "group", "aria-label": "View" }, [...group.buttons.values()]),
    page.make("span", { class: "choice", role: "group", "aria-label": "Zoom" }, button("Worst moment", "zoom to the worst moment", () => page.showWorst(group)), button("All", "show the whole connection (0)", zoom("0")), button("+", "zoom in (+)", zoom("+")), button("−", "zoom out (−)", zoom("-"))),
    page.make("span", { class: "hint" }, "drag to zoom · n, p: next event"));
};

page.isShown = (u) => u.root.parentElement.offsetParent !== null;

// chooseView shows one of the views. Numbers are shown where they can be told apart.
page.chooseView = function (group, id, asked) {
  if (!group.buttons.has(id)) id = group.buttons.keys().next().value ?? "delay";
  group.view = id;
  group.charts.dataset.view = id;
  for (const [name, b] of group.buttons) b.setAttribute("aria-pressed", name === id);
  const drawn = ([, , key]) => !key || ["a", "b"].some((d) => some(group.data[d][key]));
  group.keys.replaceChildren(...(page.keysOf[id] || []).filter(drawn).map(([c, text]) => page.make("span", { class: "key" }, page.make("i", { class: c }), text)),
    ...(["a", "b"].some((d) => group.data[d].way) ? page.keysOf.way : []).map(([c, text]) => page.make("span", { class: "key" }, page.make("i", { class: c }), text)),
    page.make("span", { class: "key" }, page.make("i", { class: "k-dashed" }), "opens or closes"), page.make("span", { class: "key" }, page.make("i", { class: "k-diamond c-finding" }), "finding"));
  if (!asked) return;
  page.drawGroup(group);
  const whole = group.shown.max - group.shown.min >= (group.span[1] - group.span[0]) * 0.99;
  if (id === "sequence" && whole && Math.max(group.data.a.t.length, group.data.b.t.length) > 150) page.showWorst(group);
};

// drawGroup draws the plots of the view that were not drawn yet.
page.drawGroup = function (group) {
  if (!group.charts.offsetParent) return;
  const now = group.waiting.filter((w) => page.views.every(([id]) => id !== w.kind.id) || w.kind.id === group.view);
  group.waiting = group.waiting.filter((w) => !now.includes(w));
  for (const w of now) w.draw();
  page.drawBands(group);
};

// bandsOf are the causes of what explain says, as long as they lasted, in s of the plots.
page.bandsOf = function (group, about) {
  const all = [];
  for (const x of about.contributing || []) {
    if (!x.from || !x.to) continue;
    const from = (page.msOf(x.from) - group.base) / 1000, to = (page.msOf(x.to) - group.base) / 1000;
    all.push({ cause: x.cause, direction: x.direction, whose: x.direction ? page.sideWords(group.id, x.direction) : "", from, to, text: x.sentence, whole: to - from > 0.9 * (group.span[1] - group.span[0]), colour: page.causeColour(x.cause) });
  }
  return all.sort((x, y) => x.from - y.from);
};

page.causeColour = (cause) => (/^loss/.test(cause) ? "losses" : /^(delay|bufferbloat|window-stall|late-acks|peer-stalled|unit-starved|spurious-retries)$/.test(cause) ? "waits" : "closing");

// drawBands writes the names of causes above the plots, and the axis below them.
page.drawBands = function (group) {
  const { min, max } = group.shown, width = group.bands.clientWidth - page.left - page.right;
  if (width <= 0) return;
  const px = (t) => page.left + Math.min(Math.max((t - min) / (max - min), 0), 1) * width;
  const rows = [];
  group.bands.replaceChildren(...group.causes.map((b) => {
    // A name that is longer than its band goes on beside it, so it needs the room.
    const from = px(b.from), wide = Math.max(3, px(b.to) - from), words = (b.cause + b.whose).length * 6.3 + 28, narrow = wide < words;
    const left = narrow && from + words > page.left + width; // there is room on the other side
    let row = rows.findIndex((end) => end <= (left ? from - words : from));
    if (row < 0) row = rows.length;
    rows[row] = b.to < min || b.from > max ? rows[row] || 0 : from + (left || !narrow ? wide : words);
    const iso = (t) => new Date(group.base + t * 1000).toISOString(), name = b.cause + (b.whose ? " · " + b.whose : "");
    const e = page.make("div", { class: "band b-" + b.colour + (b.whole ? " whole" : "") + (narrow ? " narrow" : "") + (left ? " left" : ""), role: "img", title: name + ": " + b.text, "aria-label": name + ", " + page.spanWords(iso(b.from), iso(b.to)) + ": " + b.text,
      "data-band": "", "data-cause": b.cause, "data-direction": b.direction, "data-connection": group.id, "data-from": iso(b.from), "data-to": iso(b.to) }, page.make("span", {}, name));
    e.style.left = from + "px";
    e.style.width = wide + "px";
    e.style.top = row * 18 + "px";
    if (b.to < min || b.from > max) e.classList.add("outside");
    return e;
  }));
  group.bandRows = Math.max(group.bandWidth === width ? group.bandRows : 0, rows.length); // zoomed, plots stay where they are
  group.bandWidth = width;
  group.bands.style.height = group.bandRows * 18 + "px";
  const ms = (t) => group.base + t * 1000;
  const room = page.dated ? 150 : 76; // of the words at a tick
  group.axis.replaceChildren(...page.ticks(ms(min), ms(max), Math.max(2, width / (room + 24))).filter((t) => px((t - group.base) / 1000) + room < width + page.left + page.right).map((t) => {
    const e = page.make("span", {}, page.clockOf(t, max - min < 5 ? 12 : 8));
    e.style.left = px((t - group.base) / 1000) + "px";
    return e;
  }));
};

// findingsOf are the findings on a side, or on both, as events at the top of its plot.
page.findingsOf = (c, d) => page.analysis.findings.filter((f) => f.connection === c.id && (!f.direction || f.direction === d) && f.time)
  .map((f) => ({ finding: true, 0: page.msOf(f.time) / 1000 - c.base_ms / 1000, 1: null, 2: f.frame, text: f.rule + ": " + f.message, severity: f.severity }));

const some = (list) => !!list && list.some((v) => v !== null);

// delaySeries are measures of the path that stand beside what each transmission waited: they
// are drawn where the page has their columns.
page.delaySeries = [
  { key: "paired_rtt", label: "paired round trip", colour: "acked", mark: "bar" },
  { key: "ping_rtt", label: "ping", colour: "sacked", mark: "dash" },
];

// Each kind of plot names its series: label, values, colour, and how it is drawn.
page.kinds = [
  {
    id: "delay", title: "time until what it sent was acknowledged, ms", has: (x) => some(x.delay_max_ms) || x.unacked.length > 0 || x.marks.length > 0 || x.losses.length > 0, height: 150, events: true, zero: true, rail: true,
    series: (x) => [
      { label: "delay", values: x.delay_max_ms, colour: "sent", points: 4.5 },
      { label: "delay, least", values: x.delay_min_ms, colour: "sent", points: 3.5, hide: page.same(x.delay_min_ms, x.delay_max_ms) },
      ...page.delaySeries.map((s) => ({ label: s.label, values: x[s.key + "_max_ms"], colour: s.colour, points: 3, mark: s.mark, hide: !some(x[s.key + "_max_ms"]) })),
    ],
  },
  {
    id: "sequence", title: "what it sent, by number", has: () => true, height: 300, events: true, whole: true,
    series: (x) => [
      { label: "number", values: x.sent_max, colour: "sent", points: 4 },
      { label: "number, least", values: x.sent_min, colour: "sent", points: 4, hide: page.same(x.sent_min, x.sent_max) },
      { label: "unreliable", values: x.unreliable_max, colour: "unreliable", points: 4, mark: "dash", hide: !some(x.unreliable_max) },
      { label: "acknowledged up to", values: page.filled(x.acked_max), captured: x.acked_max, colour: "acked", line: true, step: true, hide: !some(x.acked_max) },
      { label: "window", values: page.windowOf(x), captured: [], colour: "window", line: true, step: true, dash: [5, 4], aside: true, hide: !x.window || !some(x.acked_max) },
      { label: "acknowledged one by one", values: x.sacked_max, colour: "sacked", points: 3, mark: "bar", hide: !some(x.sacked_max) },
      { label: "one by one, least", values: x.sacked_min, colour: "sacked", points: 3, mark: "bar", hide: page.same(x.sacked_min, x.sacked_max) },
    ],
  },
  { id: "rtt", title: "round trips, and waits for acknowledgement, ms", has: (x) => [x.rtt_max_ms, x.ack_wait_max_ms, x.paired_rtt_max_ms, x.ping_rtt_max_ms].some((list) => list && some(list)), height: 150, zero: true,
    series: (x) => [...page.longestOf(x), { label: "longest", values: x.rtt_max_ms, colour: "sent", points: 4 }, { label: "shortest", values: x.rtt_min_ms, colour: "acked", points: 3, mark: "dash", hide: page.same(x.rtt_min_ms, x.rtt_max_ms) }] },
  { id: "way", title: "one way, ms, between both captures", has: (x) => !!x.way, height: 110, zero: true, rates: true, series: (x) => x.way },
  { id: "inflight", title: "in flight, numbers", whole: true, has: (x) => some(x.in_flight), height: 62, zero: true,
    series: (x) => [{ label: "numbers", values: x.in_flight, colour: "sent", line: true, step: true, fill: true }] },
  { id: "rate", title: "rate, kB/s", has: (x) => some(x.bytes), height: 62, zero: true, rates: true,
    series: (x, span) => page.rates(x, span) },
];

// wholes are the distances of ticks where there are no parts of one.
page.wholes = Array.from({ length: 13 }, (_, i) => [1, 2, 5].map((k) => k * 10 ** i)).flat();

// longestOf are the series of what else was measured: where nothing was sent again, waits are
// round trips.
page.longestOf = (x) => [["longest wait", "ack_wait_max_ms", "retry", "cross"], ["longest, paired", "paired_rtt_max_ms", "sacked", "bar"], ["longest ping", "ping_rtt_max_ms", "window", "square"]]
  .filter(([, key]) => x[key] && !page.same(x[key], x.rtt_max_ms))
  .map(([label, key, colour, mark]) => ({ label, values: x[key], colour, points: 5, mark }));

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
  return { t, list: [{ label: "kB/s", values: kb, colour: "acked", line: true, step: true, fill: true }] };
};

// chartOf makes the element of a plot, and gives what draws it.
page.chartOf = function (parent, group, c, d, kind) {
  const x = c.directions[d];
  const made = kind.series(x, group.span), t = kind.rates ? made.t : x.t, series = (kind.rates ? made.list : made).filter((s) => !s.hide);
  const retries = x.marks.filter((m) => m[4] !== "closing").reduce((n, m) => n + m[3], 0);
  const losses = x.losses.filter((l) => l[3] !== "not-captured").length;
  const points = series.reduce((n, s) => n + (s.captured || s.values).reduce((k, v) => k + (v === null ? 0 : 1), 0), 0);
  const label = "Connection " + c.id + ", side " + d + ": " + kind.title + (kind.events ? "; " + page.counted(retries, "retry", "retries") + ", " + page.counted(losses, "proven loss", "proven losses") : "");
  const box = page.make("div", { class: "chart", tabindex: "0", role: "group", "aria-label": label, "data-chart": kind.id, "data-connection": c.id, "data-direction": d,
    "data-points": points, "data-retries": kind.events ? retries : 0, "data-losses": kind.events ? losses : 0, "data-unacknowledged": kind.rail ? x.unacked.length : null },
    page.make("h4", {}, page.make("b", {}, page.sideWords(c.id, d)), ": " + kind.title));
  box.style.minHeight = kind.height + 18 + "px";
  parent.append(box);
  return () => page.drawChart(box, group, x, kind, t, series);
};

page.drawChart = function (box, group, x, kind, t, series) {
  const clock = (v, length) => page.clockOf(group.base + v * 1000, length);
  const line = () => page.colour("grid");
  const options = {
    width: box.clientWidth, height: kind.height, legend: { show: false }, padding: [kind.rail ? 4 : 6, page.right, 4, 0],
    cursor: { drag: { x: true, y: false }, y: false, sync: { key: "c" + box.dataset.connection, setSeries: false }, points: { show: false } },
    scales: { x: { time: false, min: group.shown.min, max: group.shown.max }, y: { range: (u, lo, hi) => page.bounds(kind, lo, hi) } },
    axes: [{ show: false }, { stroke: () => page.colour("dim"), grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "11px system-ui", size: page.left, gap: 6, space: kind.height < 100 ? 22 : 34, ...(kind.whole ? { incrs: page.wholes } : {}) }],
    series: [{ label: "time" }, ...series.map((s) => ({
      label: s.label, scale: "y", auto: !s.aside, stroke: () => page.colour(s.colour), width: s.line ? (s.dash ? 1 : 1.5) : 0, dash: s.dash, paths: s.line ? (s.step ? uPlot.paths.stepped({ align: 1 }) : undefined) : () => null, spanGaps: true,
      fill: s.fill ? () => page.colour("area") : undefined,
      mark: s.mark, colour: s.colour, points: s.points && !s.mark ? { show: true, size: s.points, fill: () => page.colour(s.colour), width: 0 } : { show: false },
    }))],
    hooks: {
      setScale: [(u, key) => { if (key === "x") page.follow(group, u); }], drawClear: [(u) => page.shade(u, group)], drawSeries: [page.drawMarks],
      draw: kind.events ? [(u) => { if (kind.id === "sequence") page.join(u, x); page.drawEvents(u, x, kind); }] : [],
      setCursor: [(u) => page.readOut(group, u, kind.events ? x : null, kind, clock)],
    },
  };
  const u = new uPlot(options, [t, ...series.map((s) => s.values)], box);
  u.over.addEventListener("dblclick", (e) => { e.stopImmediatePropagation(); page.showAll(group, u); }, true);
  box.addEventListener("keydown", (e) => {
    if (kind.events && (e.key === "n" || e.key === "p")) page.step(group, u, x, clock, group.status, e.key === "n" ? 1 : -1);
    else page.keys(e, group, u);
  });
  new ResizeObserver(() => {
    if (box.clientWidth && Math.abs(box.clientWidth - u.width) > 1) u.setSize({ width: box.clientWidth, height: kind.height });
  }).observe(box);
  group.plots.push(u);
  page.drawn.push(u);
};

// markLines are the marks of series that are no dots, as lines from and to, in pixels: colour alone
// tells no series from another.
page.markLines = { dash: [[-3, 0, 3, 0]], bar: [[0, -3, 0, 3]], cross: [[-2.5, -2.5, 2.5, 2.5], [-2.5, 2.5, 2.5, -2.5]], square: [[-2, -2, 2, -2], [2, -2, 2, 2], [2, 2, -2, 2], [-2, 2, -2, -2]] };

// drawMarks draws those of a series.
page.drawMarks = function (u, i) {
  const s = u.series[i], lines = page.markLines[s.mark], k = devicePixelRatio || 1, { min, max } = u.scales.x;
  if (!lines) return;
  const g = u.ctx;
  g.save();
  g.strokeStyle = page.colour(s.colour);
  g.lineWidth = 1.5 * k;
  g.setLineDash([]);
  g.beginPath();
  u.data[0].forEach((t, n) => {
    const v = u.data[i][n];
    if (v === null || v === undefined || t < min || t > max) return;
    const x = u.valToPos(t, "x", true), y = u.valToPos(v, "y", true);
    for (const [ax, ay, bx, by] of lines) { g.moveTo(x + ax * k, y + ay * k); g.lineTo(x + bx * k, y + by * k); }
  });
  g.stroke();
  g.restore();
};

// bandsIn are the bands that a plot shows: those of what its side sent, unless they last all
// the time.
page.bandsIn = (u, group) => group.causes.filter((b) => !b.whole && (!b.direction || b.direction === u.root.parentElement.dataset.direction));

// shade draws the bands of causes behind a plot.
page.shade = function (u, group) {
  const g = u.ctx, box = u.bbox;
  g.save();
  g.beginPath();
  g.rect(box.left, box.top, box.width, box.height);
  g.clip();
  for (const b of page.bandsIn(u, group)) {
    const from = u.valToPos(b.from, "x", true), to = u.valToPos(b.to, "x", true);
    g.fillStyle = page.colour("shade-" + b.colour);
    g.fillRect(from, box.top, Math.max(2, to - from), box.height);
  }
  g.restore();
};

// bounds are those of the vertical axis, with room for the rail of what was not acknowledged.
// Events stand at numbers and delays that the series have, too.
page.bounds = function (kind, lo, hi) {
  if (lo === null || lo === undefined) [lo, hi] = [0, kind.rail ? 100 : 1];
  if (kind.zero) return [0, (hi || 1) * (kind.rail ? 1.28 : 1.12)];
  const room = (hi - lo || 1) * 0.06;
  return [lo - room, hi + room];
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
  page.drawBands(group);
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

// Up to so many numbers in view are joined with what became of them.
page.mostJoined = 400;

// join draws a line from each transmission of a number to the next, and to its
// acknowledgement.
page.join = function (u, x) {
  const { min, max } = u.scales.x, list = [];
  for (let i = 0; i < x.t.length; i++) {
    if (x.sent_max[i] === null || x.sent_max[i] !== x.sent_min[i]) continue;
    const end = x.t[i] + (x.delay_max_ms[i] ?? 0) / 1000;
    if (end < min || x.t[i] > max) continue;
    list.push([x.sent_max[i], x.t[i], end]);
    if (list.length > page.mostJoined) return;
  }
  const g = u.ctx, k = devicePixelRatio || 1, of = new Map();
  for (const m of x.marks) if (m[4] !== "closing" && m[0] >= min && m[0] <= max) of.set(m[1], [...(of.get(m[1]) || []), m[0]]);
  g.save();
  g.beginPath();
  g.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  g.clip();
  g.lineWidth = 1.2 * k;
  g.setLineDash([]); // the series before may have had one
  for (const [n, from, to] of list) {
    const y = Math.round(u.valToPos(n, "y", true)) + 0.5, px = (t) => u.valToPos(t, "x", true);
    g.strokeStyle = page.colour("acked");
    if (to > from) { g.beginPath(); g.moveTo(px(from), y); g.lineTo(px(to), y); g.moveTo(px(to), y - 3 * k); g.lineTo(px(to), y + 3 * k); g.stroke(); }
    for (const again of of.get(n) || []) {
      if (again <= from) continue;
      g.strokeStyle = page.colour("retry");
      g.setLineDash([3 * k, 3 * k]);
      g.beginPath(); g.moveTo(px(from), y); g.lineTo(px(again), y); g.stroke();
      g.setLineDash([]);
    }
  }
  g.restore();
};

// drawEvents draws what no plot leaves out: retries, losses, what was never acknowledged, and
// frames that open or close. Where time is up, what has no delay stands on a rail at the top.
page.drawEvents = function (u, x, kind) {
  const g = u.ctx, k = devicePixelRatio || 1, box = u.bbox, rail = box.top + 8 * k;
  g.save();
  g.beginPath();
  g.rect(box.left - 6 * k, box.top, box.width + 12 * k, box.height);
  g.clip();
  const inside = (m) => m[0] >= u.scales.x.min && m[0] <= u.scales.x.max;
  const height = (m) => (!kind.rail ? u.valToPos(m[1], "y", true) : m.length > 5 ? u.valToPos(m[5], "y", true) : rail);
  // What covers the one before to the pixel is drawn with it.
  let lastX = NaN, lastY = NaN;
  const at = (m) => {
    const px = Math.round(u.valToPos(m[0], "x", true)), py = Math.round(height(m));
    if (px === lastX && py === lastY) return null;
    return [lastX = px, lastY = py];
  };
  let many = 0;
  for (const list of [x.marks, x.losses]) for (const m of list) if (inside(m)) many++;
  const r = (many > 400 ? 2.5 : many > 100 ? 3.5 : 4.5) * k;
  if (kind.rail) {
    g.strokeStyle = page.colour("unacked");
    g.lineWidth = 1.4 * k;
    g.beginPath();
    for (const m of x.unacked) {
      const p = inside(m) && at(m);
      if (p) { g.moveTo(p[0] + 3 * k, p[1]); g.arc(p[0], p[1], 3 * k, 0, 2 * Math.PI); }
    }
    g.stroke();
  }
  for (const [name, colour, up] of [["closing", "closing", 0], ["retry", "retry", 1], ["unneeded-retry", "unneeded", -1]]) {
    g.fillStyle = g.strokeStyle = page.colour(colour);
    g.lineWidth = 1.4 * k;
    g.beginPath();
    for (const m of x.marks) {
      if (m[4] !== name || !inside(m)) continue;
      if (up === 0) { const px = Math.round(u.valToPos(m[0], "x", true)); g.moveTo(px, box.top); g.lineTo(px, box.top + box.height); continue; }
      const p = at(m);
      if (!p) continue;
      const [px, py] = p;
      g.moveTo(px - r, py + up * r * 0.7); g.lineTo(px + r, py + up * r * 0.7); g.lineTo(px, py - up * r); g.closePath();
    }
    if (up === 0) { g.lineWidth = k; g.setLineDash([4 * k, 4 * k]); g.stroke(); g.setLineDash([]); } else if (up > 0) g.fill(); else g.stroke();
  }
  for (const f of x.findings.filter(inside)) {
    g.fillStyle = page.colour(f.severity === "note" ? "note" : f.severity);
    g.beginPath();
    const px = Math.round(u.valToPos(f[0], "x", true)), py = box.top + box.height - 4 * k;
    g.moveTo(px - 3.5 * k, py); g.lineTo(px, py - 3.5 * k); g.lineTo(px + 3.5 * k, py); g.lineTo(px, py + 3.5 * k); g.closePath();
    g.fill();
  }
  for (const place of ["before", "after", "not-captured"]) {
    g.strokeStyle = page.colour(place === "not-captured" ? "missed" : "loss");
    g.lineWidth = 1.8 * k;
    g.beginPath();
    for (const l of x.losses) {
      if (l[3] !== place || !inside(l)) continue;
      const p = at(l);
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
  const word = m.length === 3 ? "never acknowledged" : words[m.length > 4 ? m[4] : m[3]];
  return (m.finding ? m.text : word + ": number " + m[1] + (m.length > 5 ? ", acknowledged after " + page.ms(m[5]) : "")) + (m[2] ? ", frame " + m[2] : "") + ", " + clock(m[0]);
};

// find gives the last place of an ascending list that is not above a value, -1 for none.
page.find = function (list, v) {
  let lo = 0, hi = list.length;
  while (lo < hi) { const mid = (lo + hi) >> 1; if (list[mid] <= v) lo = mid + 1; else hi = mid; }
  return lo - 1;
};

// readOut tells what all plots show at the crosshair, and the event next to it.
page.readOut = function (group, u, x, kind, clock) {
  const { left, top } = u.cursor;
  if (left === undefined || left < 0 || group.reading) return;
  const t = u.posToVal(left, "x"), text = (d) => {
    const x = group.data[d], i = page.find(x.t, t), parts = [];
    const last = (list) => { for (let k = i, n = 0; list && k >= 0 && n < 200; k--, n++) if (list[k] !== null) return list[k]; return null; };
    if (i < 0) return "–";
    const put = (name, v) => { if (v !== null && v !== undefined) parts.push(name + " " + v); };
    put("frame", last(x.frame)); put("number", last(x.sent_max)); put("acknowledged up to", last(x.acked_max));
    const delay = last(x.delay_max_ms), rtt = last(x.rtt_max_ms), n = last(x.in_flight), bytes = last(x.in_flight_bytes);
    put("delay", delay === null ? null : page.ms(delay)); put("round trip", rtt === null ? null : page.ms(rtt)); put("in flight", n === null ? null : n + (bytes ? " (" + page.number(bytes) + " bytes)" : ""));
    if (x.way) {
      const k = page.find(x.way.t, t), v = (n) => x.way.list[n].values[k];
      if (k >= 0 && v(0) !== null) parts.push(x.way.list[0].label + " " + page.ms(v(0)));
      if (k >= 0 && v(x.way.list.length - 1)) parts.push(x.way.lost[k] + " lost between the captures");
    }
    return parts.join(" · ");
  };
  group.readout.replaceChildren(page.make("b", {}, clock(t)), page.make("span", {}, page.make("b", {}, "a"), " " + text("a")), page.make("span", {}, page.make("b", {}, "b"), " " + text("b")));
  if (!x) return;
  let best = null, least = 100;
  for (const list of [x.losses, x.marks, x.findings, kind.rail ? x.unacked : []]) {
    for (const m of list) {
      const y = m[1] === null ? u.over.clientHeight - 4 : kind.rail ? (m.length > 5 ? u.valToPos(m[5], "y") : 8) : u.valToPos(m[1], "y");
      const dx = u.valToPos(m[0], "x") - left, dy = y - top, far = dx * dx + dy * dy;
      if (far < least) [best, least] = [m, far];
    }
  }
  group.status.textContent = best ? page.tell(best, clock) : "";
};

// showMoment shows the time around a moment, in ms since 1970.
page.showMoment = function (group, ms) {
  const u = group.plots.find((p) => page.isShown(p));
  if (!u || ms === undefined) return;
  const whole = group.span[1] - group.span[0], width = Math.min(whole, Math.max(whole / 6, 2));
  page.showSpan(group, u, (ms - group.base) / 1000 - width / 2, width);
};

// showWorst shows the worst moment: where a cause with an end of its own began, the end of a
// connection that was cut off, or else the longest wait.
page.showWorst = function (group) {
  const u = group.plots.find((p) => page.isShown(p));
  if (!u) return;
  let at = null, most = -1;
  for (const d of ["a", "b"]) {
    const x = group.data[d];
    for (const l of x.losses) if (most < 1e9 && l[3] !== "not-captured") [at, most] = [l[0], 1e9];
    x.delay_max_ms.forEach((v, i) => { if (v !== null && v > most) [at, most] = [x.t[i], v]; });
    for (const m of x.unacked) if (most < 1e8) [at, most] = [m[0], 1e8];
  }
  if (at === null) at = group.span[0];
  // as many columns as can be told apart
  const x = group.data.a.t.length > group.data.b.t.length ? group.data.a : group.data.b, i = Math.max(0, page.find(x.t, at));
  const from = x.t[Math.max(0, i - 20)], to = x.t[Math.min(x.t.length - 1, i + 60)];
  const width = Math.max(to - from, Math.min(most < 1e6 ? most / 300 : 0, group.span[1] - group.span[0]), page.leastSpan);
  page.showSpan(group, u, Math.min(from, at - width / 5), width);
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
  const u = group.plots.find((p) => page.isShown(p));
  if (at === null || !u) return null;
  const around = Math.max((group.span[1] - group.span[0]) / 40, 0.25);
  u.setScale("x", { min: Math.max(group.span[0], at - around), max: Math.min(group.span[1], at + around) });
  return document.getElementById("plots-" + c.id);
};

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.redraw());
page.drawn = [];

// On paper there is one plot a line, as wide as a page.
page.paper = 660;
addEventListener("beforeprint", () => page.drawn.forEach((u) => u.setSize({ width: page.paper, height: u.height })));
addEventListener("afterprint", () => page.drawn.forEach((u) => u.setSize({ width: u.root.parentElement.clientWidth, height: u.height })));
page.redraw = () => page.drawn.forEach((u) => u.redraw());
