// What happened to each connection: the sentences of explain.
"use strict";
page.owners.push((n) => page.explain.connections.find((c) => c.verdict.frame === n || (c.verdict.frames || []).includes(n))?.id);

page.happened = function () {
  const s = page.section("happened", "What happened");
  const all = page.explain.connections;
  if (all.length === 0) {
    s.append(page.make("p", {}, page.made.chosen ? "No connection is in the part that was chosen." : "No connection was recognised in this capture."));
  }
  const drawn = new Set(page.pictures.connections.map((c) => c.id));
  const order = page.pictures.connections.map((c) => c.id);
  const place = (c) => { const i = order.indexOf(c.id); return i < 0 ? order.length + c.id : i; };
  for (const c of [...all].sort((x, y) => place(x) - place(y)).slice(0, 50)) {
    s.append(page.story(c, drawn.has(c.id)));
  }
  if (all.length > 50) s.append(page.make("p", {}, (all.length - 50) + " more are in the table."));
  for (const u of page.explain.unrecognised || []) {
    s.append(page.make("p", { class: "searchable" }, "Not recognised: " + u.a + " and " + u.b + (u.sentence ? ": " + u.sentence : "")));
  }
};

page.story = function (c, drawn) {
  const v = c.verdict;
  const head = page.make("h3", {}, "#" + c.id + " " + c.protocol + ": " + c.a + " and " + c.b + " ",
    page.make("span", { class: "badge " + v.certainty }, v.cause + ", " + v.certainty));
  const box = page.make("article", { class: "story searchable", "data-connection": c.id }, head, page.make("p", { class: "verdict" }, v.sentence));
  const proof = v.frames && v.frames.length ? v.frames : v.frame ? [v.frame] : [];
  if (proof.length) box.append(page.make("p", { class: "proof" }, "Proof: frame" + (proof.length > 1 ? "s " : " "), ...page.between(proof.map((n) => page.frame(n, c.id)), ", ")));
  if (v.would_refute) box.append(page.make("p", { class: "refute" }, "What would refute it: " + v.would_refute + "."));
  if (c.contributing && c.contributing.length) {
    const list = page.make("ul");
    for (const x of c.contributing) {
      list.append(page.make("li", {}, x.sentence + " ", page.make("span", { class: "badge " + x.certainty }, x.certainty)));
    }
    box.append(page.make("h4", {}, "What made it worse"), list);
  }
  if (drawn) box.append(page.make("p", {}, page.make("a", { href: "#plots-" + c.id }, "plots of connection " + c.id)));
  return box;
};

page.between = (list, text) => list.flatMap((x, i) => (i ? [text, x] : [x]));
