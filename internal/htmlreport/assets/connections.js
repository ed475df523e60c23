// What opens of a connection, below all lanes: what happened, plots over one time axis, frames.
"use strict";
page.owners.push((n) => page.explain.connections.find((c) => c.verdict.frame === n || (c.verdict.frames || []).includes(n))?.id);

page.groups = new Map(); // of connections with plots: what turns them

// panel gives the elements of a connection.
page.panel = function (c) {
  const picture = page.pictures.connections.find((p) => p.id === c.id), ladder = page.ladders.find((l) => l.connection === c.id);
  const parts = [page.story(c)];
  if (picture) parts.push(page.plotsOf(picture, c));
  else parts.push(page.make("p", { class: "small" }, "It has no plots in this page, which draws " + page.counted(page.pictures.connections.length, "connection", "connections") + "; --connection " + c.id + " draws it."));
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

page.story = function (c) {
  const v = c.verdict, n = page.counts.get(c.id);
  const box = page.make("article", { class: "story", "data-connection": c.id }, page.make("p", { class: "verdict" }, page.make("span", { class: "badge " + v.certainty }, v.certainty), " ", v.sentence));
  const proof = v.frames && v.frames.length ? v.frames : v.frame ? [v.frame] : [];
  if (proof.length) {
    box.append(page.make("p", { class: "proof" }, "Proof: frame" + (proof.length > 1 ? "s " : " "), ...page.between(proof.map((n) => page.frame(n, c.id)), ", "), v.would_refute ? ". Would refute it: " + v.would_refute + "." : ""));
  } else if (v.would_refute) box.append(page.make("p", { class: "proof" }, "Would refute it: " + v.would_refute + "."));
  if (c.contributing && c.contributing.length) {
    const list = page.make("ul", { class: "causes" });
    for (const x of c.contributing) {
      list.append(page.make("li", {}, page.make("span", { class: "cause" }, x.cause), " ", page.make("span", { class: "badge " + x.certainty }, x.certainty), " ", x.sentence,
        x.frames && x.frames.length ? [" ", ...page.between(x.frames.slice(0, 6).map((f) => page.frame(f, c.id)), ", ")] : ""));
    }
    box.append(page.make("h4", {}, "What made it worse"), list);
  }
  if (n) box.append(page.facts(n, c));
  return box;
};

// facts are the numbers of both sides, of which the table has all.
page.facts = function (n, c) {
  const side = (d) => {
    const x = n.directions[d], lost = x.lost ? (x.lost.before_capture || 0) + (x.lost.after_capture || 0) : null;
    const trip = (t, name) => (t ? name + " " + page.ms(t.p50_ms) + (t.max_ms !== undefined ? ", up to " + page.ms(t.max_ms) : "") : null);
    return [page.counted(x.frames, "frame", "frames"), page.counted(x.retries, "retry", "retries") + (x.unneeded_retries ? " (" + page.number(x.unneeded_retries) + " spurious)" : ""),
      lost === null ? null : page.number(lost) + " proven lost", trip(x.rtt, "round trip"), trip(x.ack_wait, "wait"), trip(x.paired_rtt, "paired"), trip(x.ping_rtt, "ping")].filter((t) => t).join(" · ");
  };
  const near = c.capture_point?.near;
  return page.make("dl", { class: "facts" }, page.make("dt", {}, "a " + c.a), page.make("dd", {}, side("a")), page.make("dt", {}, "b " + c.b), page.make("dd", {}, side("b")),
    near && near !== "unknown" ? [page.make("dt", {}, "captured"), page.make("dd", {}, near === "middle" ? "between the sides" : "at or near " + near)] : null);
};

page.between = (list, text) => list.flatMap((x, i) => (i ? [text, x] : [x]));
