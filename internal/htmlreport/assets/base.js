// What all parts of the page share: its data, and how elements are made. Text from captures
// is only ever put into text nodes.
"use strict";
const page = {
  analysis: null, explain: null, pictures: null, lanes: null, ladders: null, made: null,
  sections: [], // of the navigation: {id, title}

  load(...ids) {
    for (const id of ids) page[id] = JSON.parse(document.getElementById(id).textContent);
  },

  whole: false, // all data is loaded: the analysis comes last, below the code
  wanted: [], // what waits for that

  // once does work when all data is loaded, which may be now.
  once(work) { if (page.whole) work(); else page.wanted.push(work); },

  // make gives an element with attributes and children; strings become text.
  make(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes || {})) {
      if (v === undefined || v === null) continue;
      if (k === "onclick") e.addEventListener("click", v);
      else e.setAttribute(k, v);
    }
    for (const c of children.flat()) {
      if (c !== undefined && c !== null) e.append(page.visible(c));
    }
    return e;
  },

  // visible shows characters that would turn or hide text as their numbers.
  visible(x) {
    if (x instanceof Node) return x;
    return String(x).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
      (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  },

  // section begins a part of the page, which may be closed at first: a line with a number.
  section(id, title, closed, count) {
    const heading = page.make("h2", { id: id + "-title" }, title);
    const s = closed ? page.make("details", { id, class: "section" }, page.make("summary", {}, heading, count ? page.make("span", { class: "count" }, page.number(count)) : null))
      : page.make("section", { id, class: "section", "aria-labelledby": id + "-title" }, heading);
    page.sections.push({ id, title });
    document.getElementById("main").append(s);
    return s;
  },

  // later does work once, when an element is opened for the first time, or looked through.
  later(box, work) {
    let done = false;
    const once = () => { if (!done) { done = true; work(); } };
    box.addEventListener("toggle", () => { if (box.open) once(); });
    page.waiting.push(once);
  },

  waiting: [], // what was not made yet

  number(n) { return n === undefined || n === null ? "–" : n.toLocaleString("en-US"); },
  ms(x) { return x === undefined || x === null ? "–" : (x >= 100 ? x.toFixed(0) : x.toFixed(1)) + " ms"; },
  percent(part, all) { return all ? (100 * part / all).toFixed(1) + "%" : "–"; },

  dated: false, // times need their date: the captures are not all of one day

  // days are those on which captures begin and end.
  days() { return page.explain.captures.flatMap((c) => [c.first_time, c.last_time]).filter((t) => t).map((t) => t.slice(0, 10)); },

  // clock is the time of a record, in UTC as the capture has it.
  clock(text) { return text ? page.clockOf(Date.parse(text.slice(0, 23) + "Z")) : "–"; },

  // clockOf is the same of ms since 1970, to so many characters of "08:30:33.290".
  clockOf(ms, length = 12) {
    const text = new Date(ms).toISOString();
    return (page.dated ? text.slice(0, 10) + " " : "") + text.slice(11, 11 + length);
  },

  counted(n, one, many) { return page.number(n) + " " + (n === 1 ? one : many); },

  sum(c, key) { return (c.directions.a[key] || 0) + (c.directions.b[key] || 0); },

  // show opens what holds an element, and moves there.
  show(e) {
    for (let p = e; p; p = p.parentElement) if (p.tagName === "DETAILS") p.open = true;
    e.scrollIntoView({ block: e.offsetHeight > innerHeight / 2 ? "start" : "center" });
    e.classList.add("found");
    if (e.tabIndex >= 0) e.focus({ preventScroll: true });
    setTimeout(() => e.classList.remove("found"), 2500);
  },

  // frame is a link to where a frame of a connection is shown.
  frame(n, connection) {
    return page.make("button", { class: "frame", type: "button", title: "show frame " + n + " in plots and ladder", onclick: () => page.jump(n, connection) }, String(n));
  },

  owners: [], // functions that give the connection of a frame, where they know it
  tellers: [], // functions that say what a frame of a connection is, where they know it
  jumps: [], // functions that turn to a frame of a connection and give the element that shows it, or null

  // ownersOf gives the connections that a frame may be of: one where the page knows it,
  // else those that were under way.
  ownersOf(n) {
    for (const f of page.owners) {
      const id = f(n);
      if (id !== undefined) return [id];
    }
    return page.analysis.connections.filter((c) => c.first_frame <= n && n <= c.last_frame).map((c) => c.id);
  },

  jump(n, connection) {
    const ids = connection === undefined ? page.ownersOf(n) : [connection];
    let shown = null, at;
    for (at of ids) {
      page.openAt(at);
      shown = page.jumps.map((f) => f(n, at)).find((e) => e);
      if (shown) break;
    }
    const of = ids.length === 1 ? "of connection " + ids[0] : "of one of " + ids.length + " connections";
    document.getElementById("hits").textContent = "frame " + n + " is " + (ids.length === 0 ? "of no connection" : !shown ? of + ", which is not drawn here" : ids.length > 1 ? of + "; connection " + at + " is shown" : of) + (shown ? page.tellers.map((f) => f(n, at)).find((t) => t) || "" : "");
    if (shown) page.show(shown);
  },
};
