// Ladders: a row a frame, of which only those in view are elements.
"use strict";
page.ladder = function () {
  if (page.ladders.length + page.made.long_ladders.length === 0) return;
  const s = page.section("ladder", "Frames, one by one");
  for (const l of page.ladders) s.append(page.drawLadder(l));
  for (const id of page.made.long_ladders) {
    const c = page.analysis.connections.find((x) => x.id === id);
    s.append(page.make("p", {}, "The frames of connection " + id + " are too many for this page" + (c ? " (" + page.number(page.sum(c, "frames")) + ")" : "") + ": --from and --to choose a part of them."));
  }
};

page.rowsOnPaper = 300;

page.rowHeight = 22;

page.drawLadder = function (l) {
  const rows = l.rows, height = page.rowHeight;
  const inner = page.make("div", { class: "rows", role: "list" });
  const box = page.make("div", { class: "ladder", tabindex: "0", role: "region", "data-connection": l.connection, "data-rows": rows.length,
    "aria-label": "Frames of connection " + l.connection + ", " + rows.length + " rows; arrows scroll" }, inner);
  inner.style.height = rows.length * height + "px";
  const told = (r) => r.label + (r.remarks ? " · " + r.remarks.join(" · ") : "");
  let from = -1, focus = -1;
  inner.style.minWidth = 7.5 + 6 + 3.5 + rows.reduce((n, r) => Math.max(n, told(r).length), 0) * 0.62 + 3 + "em"; // the longest row can be scrolled to
  function draw() {
    const first = Math.max(0, Math.floor(box.scrollTop / height) - 10), n = Math.ceil((box.clientHeight || 400) / height) + 20;
    if (first === from) return;
    from = first;
    inner.replaceChildren(...rows.slice(first, first + n).map((r, i) => line(r, first + i)));
  }
  function line(r, i) {
    const e = page.make("div", { class: "row " + r.kind + (r.proof ? " proof" : "") + (i === focus ? " found" : ""), role: "listitem", "aria-setsize": rows.length, "aria-posinset": i + 1 },
      page.make("span", { class: "time" }, page.clock(r.time)), page.make("span", { class: "no" }, r.frame ? String(r.frame) : r.frames ? r.frames[0] + "–" + r.frames[r.frames.length - 1] : ""),
      page.make("span", { class: "arrow", "aria-hidden": "true" }, r.kind === "pause" ? "⋮" : r.kind === "loss" ? (r.from === "a" ? "─╳→" : "←╳─") : r.from === "a" ? "──→" : "←──"),
      page.make("span", { class: "visually-hidden" }, r.from ? "from " + r.from : ""),
      page.make("span", { class: "label" }, told(r)));
    e.style.top = i * height + "px";
    return e;
  }
  function find(n) { return rows.findIndex((r) => r.frame === n || (r.frames && r.frames.includes(n))); }
  page.owners.push((n) => (find(n) < 0 ? undefined : l.connection));
  page.jumps.push((n, connection) => {
    const i = connection === l.connection ? find(n) : -1;
    if (i < 0) return null;
    focus = i; from = -1;
    box.scrollTop = Math.max(0, i * height - box.clientHeight / 2);
    draw();
    return box;
  });
  page.matchers.push((text) => {
    let hits = 0, first = -1;
    rows.forEach((r, i) => { if (told(r).toLowerCase().includes(text)) { hits++; if (first < 0) first = i; } });
    if (first >= 0) { focus = first; from = -1; box.scrollTop = first * height; draw(); }
    return hits;
  });
  box.addEventListener("scroll", draw);
  requestAnimationFrame(draw);
  const onPaper = Math.min(rows.length, page.rowsOnPaper), rest = rows.length - onPaper;
  addEventListener("beforeprint", () => {
    inner.replaceChildren(...rows.slice(0, onPaper).map((r, i) => line(r, i)));
    inner.style.height = onPaper * height + "px";
  });
  addEventListener("afterprint", () => { inner.style.height = rows.length * height + "px"; from = -1; draw(); });
  return page.make("div", { class: "of" }, page.make("h3", {}, "#" + l.connection + ": a " + l.a.address + ", b " + l.b.address), box,
    rest ? page.make("p", { class: "paper" }, page.counted(rest, "more row is", "more rows are") + " in the page itself.") : null);
};
