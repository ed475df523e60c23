// What opens of a connection, below all lanes: what happened, plots over one time axis, frames.
"use strict";
page.owners.push((n) => page.explain.connections.find((c) => c.verdict.frame === n || (c.verdict.frames || []).includes(n))?.id);

page.groups = new Map(); // of connections with plots: what turns them

// panel gives the elements of a connection.
page.panel = function (c) {
  const picture = page.pictures.connections.find((p) => p.id === c.id), ladder = page.ladders.find((l) => l.connection === c.id);
  const parts = [...page.pairOf(c.id).map(page.pairStory), page.story(c)];
  if (picture) parts.push(page.plotsOf(picture, c));
  else parts.push(page.make("p", { class: "small" }, "It has no plots in this page, which draws " + page.counted(page.pictures.connections.length, "connection", "connections") + "; --connection " + c.id + " draws it."));
  for (const x of page.pairOf(c.id)) parts.push(...page.pairMoments(x));
  if (ladder) parts.push(page.drawLadder(ladder, c));
  else if (page.made.long_ladders.includes(c.id)) {
    parts.push(page.make("p", { class: "small" }, "Its frames are too many for this page (" + page.number(page.sum(page.counts.get(c.id), "frames")) + "): --from and --to choose a part of them."));
  }
  const found = page.analysis.findings.filter((f) => f.connection === c.id);
  if (found.length) parts.push(page.make("details", { class: "part" }, page.make("summary", {}, page.make("h4", {}, "Findings"), " " + page.number(found.length)), page.findingList(found, 200, "")));
  return parts;
};

// opened draws what waits until it is seen.
page.opened = function (id) {
  page.groups.get(id)?.draw();
  page.ladderOf?.get(id)?.();
};

// story tells what happened: what the line of the connection is about stands first, so the end
// stands last where that was in order and something before it was not.
page.story = function (c) {
  const n = page.counts.get(c.id), slow = page.lane.get(c.id)?.kind === "in trouble" && c.contributing?.length > 0;
  const end = page.ending(c, slow), worse = c.contributing?.length ? [slow ? null : page.make("h4", {}, "What made it worse"), page.causeList(c)] : [];
  return page.make("article", { class: "story", "data-connection": c.id }, slow ? [...worse, ...end] : [...end, ...worse], n ? page.facts(n, c) : null);
};

// ending tells how a connection ended, and the proof.
page.ending = function (c, last) {
  const v = c.verdict, proof = v.frames && v.frames.length ? v.frames : v.frame ? [v.frame] : [];
  const parts = [page.make("p", { class: "verdict" }, last ? "The end: " : "", page.make("span", { class: "badge " + v.certainty }, v.certainty), " ", v.sentence)];
  if (proof.length) {
    parts.push(page.make("p", { class: "proof" }, "Proof: frame" + (proof.length > 1 ? "s " : " "), ...page.between(proof.map((n) => page.frame(n, c.id)), ", "), v.would_refute ? ". Would refute it: " + v.would_refute + "." : ""));
  } else if (v.would_refute) parts.push(page.make("p", { class: "proof" }, "Would refute it: " + v.would_refute + "."));
  return parts;
};

// causeList are the causes beside the end, each with when it lasted and its frames.
page.causeList = function (c) {
  return page.make("ul", { class: "causes" }, c.contributing.map((x) => page.make("li", {},
    page.make("span", { class: "cause" }, x.cause), " ", page.make("span", { class: "badge " + x.certainty }, x.certainty), " ", x.sentence,
    x.frames && x.frames.length ? [" ", ...page.between(x.frames.slice(0, 6).map((f) => page.frame(f, c.id)), ", ")] : "",
    x.from && x.to ? page.make("span", { class: "when" }, " " + page.spanWords(x.from, x.to)) : null)));
};

page.spanWords = (from, to) => { const [x, y] = [page.clock(from).slice(0, -2), page.clock(to).slice(0, -2)]; return x === y ? x : x + "–" + y; };

// sideWords name a side as sentences do, where its role is known: "a, player".
page.sideWords = function (id, d) {
  const role = page.counts.get(id)?.[d].role;
  return d + (!role ? "" : role === "client" || role === "connector" ? ", player" : ", server");
};

// facts are the numbers of both sides, of which the table has all.
page.facts = function (n, c) {
  const side = (d) => {
    const x = n.directions[d], lost = x.lost ? (x.lost.before_capture || 0) + (x.lost.after_capture || 0) : null;
    const trip = (t, name) => (t ? name + " " + page.ms(t.p50_ms) + (t.max_ms !== undefined ? ", up to " + page.ms(t.max_ms) : "") : null);
    return [page.counted(x.frames, "frame", "frames"), page.counted(x.retries, "retry", "retries") + (x.retries && x.unneeded_retries !== undefined ? " (" + page.number(x.unneeded_retries) + " spurious)" : ""),
      lost === null ? null : page.number(lost) + " proven lost", trip(x.rtt, "round trip"), trip(x.ack_wait, "wait"), trip(x.paired_rtt, "paired"), trip(x.ping_rtt, "ping")].filter((t) => t).join(" · ");
  };
  const near = c.capture_point?.near;
  return page.make("dl", { class: "facts" }, page.make("dt", {}, page.sideWords(c.id, "a") + " " + c.a), page.make("dd", {}, side("a")), page.make("dt", {}, page.sideWords(c.id, "b") + " " + c.b), page.make("dd", {}, side("b")),
    near && near !== "unknown" ? [page.make("dt", {}, "captured"), page.make("dd", {}, near === "middle" ? "between the sides" : "at or near " + page.sideWords(c.id, near))] : null);
};

page.between = (list, text) => list.flatMap((x, i) => (i ? [text, x] : [x]));
