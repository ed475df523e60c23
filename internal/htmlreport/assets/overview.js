// The overview: a lane a connection over the time of the capture, whose height and colour say
// how it fared. Connections are grouped, and what is well is one band until it is opened.
"use strict";
page.healths = { q: "quiet", w: "waits", l: "losses", c: "cut-off" };
page.healthWords = { quiet: "quiet", waits: "waits", losses: "losses", "cut-off": "cut off" };
page.rank = ["quiet", "waits", "losses", "cut-off"];

// Up to so many connections that are not well have a line each at once.
page.mostLines = 12;

// Up to so many lanes are made before anybody asks for them.
page.mostEarly = 100;

// Up to so many address pairs that were not recognised are told at once.
page.mostPairs = 4;

// runsOf reads "q3w1": [{health, from, to}], in columns of the overview.
page.runsOf = function (lane) {
  let at = lane.first;
  return [...lane.runs.matchAll(/([qwlc])(\d+)/g)].map((m) => ({ health: page.healths[m[1]], from: at, to: (at += Number(m[2])) }));
};

page.overview = function () {
  const s = page.section("overview", "Overview"), o = page.lanes;
  page.lane = new Map(o.lanes.map((l) => [l.id, l]));
  page.told = new Map(page.explain.connections.map((c) => [c.id, c]));
  s.append(page.make("p", { class: "lead" }, page.leadWords()));
  if (o.lanes.length === 0) {
    s.append(page.make("p", {}, page.made.chosen ? "No connection is in the part that was chosen." : "No connection was recognised in this capture. " + page.made.hint));
  } else {
    s.append(page.healthKeys());
    const list = page.make("div", { class: "lanes" });
    s.append(list);
    list.append(page.axis());
    const groups = page.groupsOf(o.lanes);
    for (const g of groups) list.append(page.group(g, o.lanes.length <= page.mostEarly));
    s.append(page.panelsBelow);
  }
  if (page.pictures.unlisted) {
    s.append(page.make("p", { class: "small" }, "These are the worst: " + page.number(page.pictures.unlisted) + " more connections are not in this page; --connection and -Y choose others."));
  }
  // What a connection tells of stands there; of many the page has one line until it is opened.
  const pairs = (page.explain.unrecognised || []).filter((u) => u.continues === undefined);
  const told = pairs.map((u) => page.make("p", { class: "searchable small" }, "Not recognised: " + u.a + " and " + u.b + (u.sentence ? ": " + u.sentence : "")));
  s.append(...(pairs.length <= page.mostPairs ? told : [page.make("details", { class: "part unrecognised" }, page.make("summary", { class: "small" }, page.number(pairs.length) + " address pairs were not recognised"), told)]));
};

// leadWords counts the kinds of ends: "3 connections: 1 in trouble, 2 closed".
page.leadWords = function () {
  const kinds = new Map();
  for (const l of page.lanes.lanes) kinds.set(l.kind, (kinds.get(l.kind) || 0) + 1);
  const bad = ["cut off", "never opened", "begun again", "in trouble", "undecided"], order = (k) => (bad.indexOf(k) + 1 || 9);
  const all = page.lanes.lanes.length;
  return page.counted(all, "connection", "connections") + (all ? ": " + [...kinds].sort((x, y) => order(x[0]) - order(y[0])).map(([k, n]) => page.number(n) + " " + k).join(", ") : "") + ".";
};

page.healthKeys = () => page.make("p", { class: "health-keys" }, page.rank.map((h) => page.make("span", { class: "key" }, page.make("i", { class: "cell h-" + h }),
  { quiet: "quiet: nothing troubled it", waits: "waits: slow answers, spurious retries", losses: "losses: something missing or sent again", "cut-off": "cut off: one side no longer heard" }[h])));

// groupsOf puts lanes together as explain does, or by what is told of them: the bad ones
// first, the rest last.
page.groupsOf = function (lanes) {
  const groups = [], taken = new Set();
  for (const g of page.explain.groups || []) {
    const ids = new Set(g.connections), members = lanes.filter((l) => ids.has(l.id));
    if (members.length < 2) continue;
    members.forEach((l) => taken.add(l.id));
    groups.push({ title: g.sentence, members, bad: members.some((l) => l.bad) });
  }
  const place = new Map(page.pictures.connections.map((c, i) => [c.id, i]));
  const rest = lanes.filter((l) => !taken.has(l.id)), doubtful = rest.filter(page.doubtful);
  const bad = rest.filter((l) => l.bad).sort((x, y) => (place.get(x.id) ?? 1e9) - (place.get(y.id) ?? 1e9) || x.id - y.id);
  if (bad.length <= page.mostLines) {
    groups.push(...bad.map((l) => ({ members: [l], bad: true })));
  } else {
    const by = new Map();
    for (const l of bad) {
      const v = page.told.get(l.id), key = l.kind === "in trouble" ? v?.contributing[0]?.cause : v?.verdict.cause;
      const title = l.kind + (key ? ": " + key : "");
      if (!by.has(title)) by.set(title, []);
      by.get(title).push(l);
    }
    groups.push(...[...by].map(([title, members]) => ({ title: page.counted(members.length, "connection", "connections") + " " + title, members, bad: true })));
  }
  if (doubtful.length <= page.mostLines) groups.push(...doubtful.map((l) => ({ members: [l] })));
  else groups.push({ title: page.number(doubtful.length) + " connections that waited or lost packets for a moment, or whose end is not sure; none was in trouble or cut off", members: doubtful });
  const well = rest.filter((l) => !l.bad && !page.doubtful(l));
  if (well.length === 1) groups.push({ members: well });
  else if (well.length) groups.push({ title: page.number(well.length) + (bad.length || groups.length ? " other" : "") + " connections, in which nothing went wrong", members: well });
  return groups;
};

// group gives the line of one connection, or that of several, which opens.
page.group = function (g, early) {
  if (g.members.length === 1) return page.line(g.members[0]);
  const box = page.make("details", { class: "group" + (g.bad ? " bad" : ""), "data-group": g.members.length });
  const inner = page.make("div", { class: "members" });
  let made = false;
  const make = () => {
    if (made) return;
    made = true;
    inner.append(...g.members.map((l) => page.line(l)));
  };
  g.members.forEach((l) => page.makers.set(l.id, (closed) => { make(); if (!closed) box.open = true; }));
  const summary = page.make("summary", { class: "lane-row" }, page.make("span", { class: "lane-label" }, page.make("span", { class: "what" }, g.title), page.make("span", { class: "who" }, page.members(g.members))), page.band(g.members));
  box.append(summary, inner);
  box.addEventListener("toggle", () => { if (box.open) make(); });
  if (early) make(); else page.waiting.push(make);
  return box;
};

// doubtful says of a connection of which there is nothing to tell that it was not all well: it
// waited, or lost something, or its verdict is not proved.
page.doubtful = (l) => !l.bad && (/[wlc]/.test(l.runs) || page.told.get(l.id).verdict.certainty !== "proved");

page.members = function (list) {
  const protocols = [...new Set(list.map((l) => page.told.get(l.id)?.protocol))];
  return protocols.join(", ") + " · " + list.slice(0, 8).map((l) => "#" + l.id).join(" ") + (list.length > 8 ? " …" : "");
};

page.makers = new Map(); // makes the line of a connection that is in a group, and opens that

// band draws the lanes of several connections as one: in each column the share of them that
// fared so, the worst at the bottom.
page.band = function (lanes) {
  const n = page.lanes.columns, at = Array.from({ length: n }, () => [0, 0, 0, 0]);
  for (const l of lanes) for (const r of page.runsOf(l)) for (let i = r.from; i < Math.min(r.to, n); i++) at[i][page.rank.indexOf(r.health)]++;
  const svg = page.svg("svg", { class: "track band", viewBox: "0 0 " + n + " " + lanes.length, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (let h = 3; h >= 0; h--) {
    let d = "";
    for (let i = 0; i < n; i++) {
      let under = 0;
      for (let k = 3; k > h; k--) under += at[i][k];
      if (!at[i][h]) continue;
      let to = i + 1;
      const same = (x) => x < n && at[x][h] === at[i][h] && [0, 1, 2, 3].every((k) => k <= h || at[x][k] === at[i][k]);
      while (same(to)) to++;
      d += "M" + i + " " + (lanes.length - under) + "V" + (lanes.length - under - at[i][h]) + "H" + to + "V" + (lanes.length - under) + "Z";
      i = to - 1;
    }
    if (d) svg.append(page.svg("path", { class: "h-" + page.rank[h], d }));
  }
  return svg;
};

page.svg = function (tag, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) if (v !== undefined && v !== null) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = page.visible(text);
  return e;
};

// line is a connection: its name and its lane. What opens stands below all lanes, so that
// they stay together.
page.line = function (l) {
  const c = page.told.get(l.id), panel = page.make("section", { class: "panel", id: "panel-" + l.id, "data-connection": l.id, "aria-label": "Connection " + l.id, hidden: "" });
  const worst = page.rank[Math.max(...page.runsOf(l).map((r) => page.rank.indexOf(r.health)), 0)];
  const box = page.make("details", { class: "conn searchable" + (l.bad ? " bad" : ""), id: "c-" + l.id, "data-connection": l.id });
  const who = "#" + l.id + " " + c.protocol + " · " + c.a + " ↔ " + c.b;
  const summary = page.make("summary", { class: "lane-row", "aria-label": l.line + "; connection " + l.id + ", " + page.healthWords[worst] },
    page.make("span", { class: "lane-label" }, page.make("span", { class: "what", title: l.line }, l.line, " ", page.certainty(c, l)), page.make("span", { class: "who", title: who }, who)),
    page.track(l));
  box.append(summary);
  let made = false;
  const make = () => {
    if (made) return;
    made = true;
    panel.append(page.make("h3", {}, l.line, page.make("span", { class: "who" }, " " + who)), ...page.panel(c));
    page.panelsBelow.append(panel);
  };
  const turn = () => {
    panel.hidden = !box.open;
    if (box.open) { make(); page.opened(l.id); }
  };
  page.panels.set(l.id, { box, panel, make, turn });
  box.addEventListener("toggle", () => page.once(turn));
  summary.addEventListener("click", () => setTimeout(() => page.once(() => { if (box.open) { turn(); page.bring(panel); } })));
  return box;
};

page.panels = new Map(); // of connections: the line, what opens, and what fills that
page.panelsBelow = page.make("div", { class: "panels" });

// bring moves to a panel that begins below what is seen.
page.bring = (panel) => { if (panel.getBoundingClientRect().top > innerHeight * 0.7) panel.scrollIntoView({ block: "start" }); };

// certainty is a word where a verdict is not sure and its line does not say so.
page.certainty = (c, l) => (c.verdict.certainty === "proved" || /likely|undecided/.test(l.line) ? null : page.make("span", { class: "badge " + c.verdict.certainty }, c.verdict.certainty));

// track is the lane itself. A click opens the connection at that moment.
page.track = function (l) {
  const o = page.lanes, n = o.columns, iso = (x) => new Date(o.from_ms + x * o.step_ms).toISOString();
  const e = page.make("span", { class: "track" });
  for (const r of page.runsOf(l)) {
    const words = page.healthWords[r.health] + ", " + page.clockOf(o.from_ms + r.from * o.step_ms, 8) + "–" + page.clockOf(o.from_ms + r.to * o.step_ms, 8);
    const piece = page.make("i", { class: "cell h-" + r.health, title: words, "data-lane": l.id, "data-connection": l.id, "data-health": r.health, "data-from": iso(r.from), "data-to": iso(r.to) });
    piece.style.left = 100 * r.from / n + "%";
    piece.style.width = 100 * (r.to - r.from) / n + "%";
    e.append(piece);
  }
  for (const m of page.causesOf(l.id)) {
    const mark = page.make("b", { class: "mark m-" + m.kind, title: m.text, "aria-hidden": "true" }, m.kind === "end" ? "✕" : "▼");
    mark.style.left = Math.min(100, Math.max(0, 100 * (m.at - o.from_ms) / (n * o.step_ms))) + "%";
    e.append(mark);
  }
  e.addEventListener("click", (event) => {
    event.preventDefault();
    const r = e.getBoundingClientRect();
    event.stopPropagation();
    page.once(() => {
      page.openAt(l.id, o.from_ms + (event.clientX - r.left) / r.width * n * o.step_ms);
      page.bring(page.panels.get(l.id).panel);
    });
  });
  return e;
};

page.msOf = (text) => Date.parse(text.slice(0, 23) + "Z");

// causesOf are the marks of a lane: where a cause began, and where the connection was cut off.
page.causesOf = function (id) {
  const c = page.told.get(id), l = page.lane.get(id), all = [];
  for (const x of c.contributing || []) {
    if (x.from && c.first_time && page.msOf(x.from) > page.msOf(c.first_time)) all.push({ kind: "cause", at: page.msOf(x.from), text: x.cause + ": " + x.sentence });
  }
  if (c.verdict.time && l.kind !== "closed" && l.kind !== "still open" && l.kind !== "begun again" && l.kind !== "in trouble") all.push({ kind: "end", at: page.msOf(c.verdict.time), text: c.verdict.cause + ": " + c.verdict.sentence });
  return all;
};

// ticks are round times within a span, in ms since 1970, at most so many.
page.ticks = function (from, to, most) {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5];
  const step = steps.find((s) => (to - from) / s <= most) || (to - from) / most || 1;
  const all = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) all.push(t);
  return all;
};

// axis is that of the overview.
page.axis = function () {
  const o = page.lanes, from = o.from_ms, to = from + o.columns * o.step_ms, track = page.make("span", { class: "track scale" });
  const draw = () => {
    track.replaceChildren(...page.ticks(from, to, Math.max(2, (track.clientWidth || 600) / (page.dated ? 170 : 90))).map((t) => {
      const e = page.make("span", {}, page.clockOf(t, to - from < 5000 ? 12 : 8));
      e.style.left = 100 * (t - from) / (to - from) + "%";
      return e;
    }).filter((e) => parseFloat(e.style.left) < 93));
  };
  new ResizeObserver(draw).observe(track);
  return page.make("div", { class: "lane-row axis", "aria-hidden": "true" }, page.make("span", { class: "lane-label" }, "UTC; a click on a lane opens that moment"), track);
};

// openAt opens a connection, and shows the time around a moment, in ms since 1970.
page.openAt = function (id, ms) {
  page.makers.get(id)?.();
  const p = page.panels.get(id);
  if (!p) return null;
  p.make();
  p.box.open = true;
  p.turn();
  page.groups.get(id)?.at(ms);
  return p.panel;
};
