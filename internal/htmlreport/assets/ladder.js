// Sequence diagrams: two lifelines, an arrow a frame, slanted by the time it took, of which
// only those in view are elements. Runs of like frames open with a click.
"use strict";
page.rowHeight = 24;
page.rowsOnPaper = 300;
page.mostPixels = 8e6; // of which browsers make an element for sure
page.ladderOf = new Map();

page.drawLadder = function (l, about) {
  const closed = l.rows, height = page.rowHeight;
  let rows = closed.slice(); // with the members of runs that are open
  const inner = page.make("div", { class: "rows", role: "list" });
  const box = page.make("div", { class: "ladder", tabindex: "0", role: "region", "data-connection": l.connection, "data-rows": closed.length,
    "aria-label": "Frames of connection " + l.connection + ", " + closed.length + " rows; arrows scroll" }, inner);
  const told = (r) => r.label + (r.remarks ? " · " + r.remarks.join(" · ") : "");
  const open = new Set();
  let from = -1, focus = -1, focused = null;
  const times = (r) => (r.time ? page.msOf(r.time) + Number(r.time.slice(23, 29)) / 1e6 : null);
  const trip = { a: about.capture_point?.to_a_ms, b: about.capture_point?.to_b_ms }, known = trip.a !== undefined && trip.b !== undefined;
  const whole = () => rows.length * height; // pixels, of which a scroll bar has so many for each of its own:
  const factor = () => (whole() <= page.mostPixels ? 1 : (whole() - box.clientHeight) / Math.max(1, page.mostPixels - box.clientHeight));
  const size = () => { inner.style.height = Math.min(whole(), page.mostPixels) + "px"; };
  size();

  // A row stands at its place in the list; when the list is higher than browsers can show,
  // rows are placed beside what is in view.
  const top = () => box.scrollTop * factor();
  function draw() {
    const first = Math.max(0, Math.floor(top() / height) - 8), n = Math.ceil((box.clientHeight || 420) / height) + 16;
    if (first === from && factor() === 1) return;
    from = first;
    const shown = rows.slice(first, first + n), shift = first * height - (top() - box.scrollTop);
    inner.replaceChildren(picture(shown, first, shift), ...shown.map((r, i) => line(r, first + i, shift + i * height)));
  }
  // picture draws the lifelines and arrows of some rows.
  function picture(shown, first, shift) {
    const width = 200, a = 14, b = width - 14, h = shown.length * height;
    const svg = page.svg("svg", { class: "arrows", viewBox: "0 0 " + width + " " + h, preserveAspectRatio: "none", height: h, "aria-hidden": "true" });
    svg.style.top = shift + "px";
    for (const x of [a, b]) svg.append(page.svg("line", { class: "life", x1: x, x2: x, y1: 0, y2: h }));
    const at = shown.map(times), place = (t, i) => { // where a time lies below a row
      let k = i;
      while (k + 1 < shown.length && at[k + 1] !== null && at[k + 1] <= t) k++;
      const next = at[k + 1], part = next != null && next > at[k] ? (t - at[k]) / (next - at[k]) : 0;
      return (k + Math.min(part, 1) + 0.5) * height;
    };
    shown.forEach((r, i) => {
      const y = (i + 0.5) * height;
      if (r.kind === "pause") { svg.append(page.svg("line", { class: "gap", x1: a, x2: a, y1: y - 9, y2: y + 9 }), page.svg("line", { class: "gap", x1: b, x2: b, y1: y - 9, y2: y + 9 })); return; }
      const out = r.from === "a", x1 = out ? a : b, x2 = out ? b : a, ms = known ? trip.a + trip.b : 0;
      const lean = r.kind === "run" || at[i] === null ? 0 : Math.min(Math.max(place(at[i] + ms, i) - y, 3), 3 * height);
      const end = r.kind === "loss" ? (r.lost === "before_capture" ? 0.42 : r.lost === "after_capture" ? 0.66 : 1) : 1;
      const tx = x1 + (x2 - x1) * end, ty = y + lean * end, lost = end < 1;
      const kind = lost ? "lost" : r.kind === "loss" ? "missed" : r.kind === "run" ? "run" : (r.analysis || []).includes("unneeded-retry") ? "spurious" : r.retry_of || (r.analysis || []).includes("retry") ? "again" : r.proof ? "cited" : "plain";
      svg.append(page.svg("line", { class: "arrow " + kind, x1, y1: y, x2: tx, y2: ty, "data-row": first + i }));
      const s = out ? -1 : 1;
      if (lost) svg.append(page.svg("path", { class: "arrow lost", d: "M" + (tx - 4) + " " + (ty - 4) + "l8 8m0 -8l-8 8" }));
      else svg.append(page.svg("path", { class: "head " + kind, d: "M" + x2 + " " + ty + "l" + 7 * s + " " + (-4 - lean / 40) + "v8z" }));
    });
    return svg;
  }
  function line(r, i, y) {
    const toggle = r.members ? page.make("button", { type: "button", class: "run", "aria-expanded": open.has(r), title: "show or hide these frames", onclick: () => turn(r) }, open.has(r) ? "▾" : "▸") : null;
    const found = (r.findings || []).map((f) => page.make("span", { class: "badge " + f.severity, title: f.message }, f.rule));
    const e = page.make("div", { class: "row " + r.kind + (r.proof ? " proof" : "") + (r.inside ? " inside" : "") + (i === focus ? " found" : ""), role: "listitem", "aria-setsize": rows.length, "aria-posinset": i + 1 },
      page.make("span", { class: "time" }, page.clock(r.time)), page.make("span", { class: "no" }, r.frame ? String(r.frame) : r.frames ? r.frames[0] + "–" + r.frames[r.frames.length - 1] : ""),
      page.make("span", { class: "space" }, page.make("span", { class: "visually-hidden" }, r.from ? "from " + r.from : "")),
      page.make("span", { class: "label", title: told(r) }, toggle, toggle ? " " : null, told(r)), page.make("span", { class: "found-here" }, found));
    e.style.top = y + "px";
    return e;
  }
  // turn opens a run, or closes it.
  function turn(r) {
    if (open.has(r)) open.delete(r); else open.add(r);
    const old = box.scrollTop;
    rows = closed.flatMap((x) => (open.has(x) ? [x, ...x.members.map((m) => ({ ...m, kind: "frame", from: x.from, inside: true }))] : [x]));
    size();
    from = -1;
    box.scrollTop = old;
    draw();
  }
  function find(n) { return rows.findIndex((r) => r.frame === n || (r.frames && !open.has(r) && r.frames.includes(n))); }
  function turnTo(i) {
    focus = i; from = -1;
    box.scrollTop = Math.max(0, (i * height - box.clientHeight / 2) / factor());
    draw();
  }
  page.owners.push((n) => (find(n) < 0 ? undefined : l.connection));
  page.tellers.push((n, connection) => {
    const r = connection === l.connection && rows[find(n)], x = r && ((r.members || []).find((m) => m.frame === n) || r);
    return x ? ": " + page.clock(x.time || r.time) + " from " + page.sideWords(connection, x.from || r.from) + ", " + told(x) : "";
  });
  page.jumps.push((n, connection) => {
    const i = connection === l.connection ? find(n) : -1;
    if (i < 0) return null;
    focused = i;
    turnTo(i);
    return box;
  });
  page.matchers.push((text) => {
    let hits = 0, first = -1;
    rows.forEach((r, i) => { if (told(r).toLowerCase().includes(text)) { hits++; if (first < 0) first = i; } });
    if (first >= 0) { focused = first; turnTo(first); }
    return hits;
  });
  box.addEventListener("scroll", draw);
  new ResizeObserver(() => { from = -1; draw(); }).observe(box);
  // Seen for the first time it stands at the frames that prove what happened.
  page.ladderOf.set(l.connection, () => {
    if (!box.offsetParent || focused !== null) return;
    focused = rows.findIndex((r) => r.proof);
    if (focused >= 0) box.scrollTop = Math.max(0, (focused * height - box.clientHeight / 2) / factor());
    from = -1;
    draw();
  });
  const onPaper = Math.min(closed.length, page.rowsOnPaper), rest = closed.length - onPaper;
  addEventListener("beforeprint", () => {
    const shown = closed.slice(0, onPaper);
    inner.replaceChildren(picture(shown, 0, 0), ...shown.map((r, i) => line(r, i, i * height)));
    inner.style.height = onPaper * height + "px";
  });
  addEventListener("afterprint", () => { size(); from = -1; draw(); });
  return page.make("section", { class: "part of", "aria-label": "Frames one by one" }, page.make("h4", {}, "Frames, one by one"),
    page.make("div", { class: "ladder-head", "aria-hidden": "true" }, page.make("span", { class: "time" }, "time"), page.make("span", { class: "no" }, "frame"), page.make("span", { class: "sides" }, page.make("span", { title: l.a.address }, "a"), page.make("span", { title: l.b.address }, "b")), page.make("span", { class: "label" }, "what"), page.make("span", { class: "found-here" }, "findings")),
    box, rest ? page.make("p", { class: "paper" }, page.counted(rest, "more row is", "more rows are") + " in the page itself.") : null);
};
