// How good the capture is, and how this page was made.
"use strict";
page.capture = function () {
  const s = page.section("capture", "Capture", true);
  const t = page.analysis.totals;
  for (const c of page.analysis.captures) {
    const rows = [["File", c.path], ["Format", [c.format, c.compression, ...(c.link_types || [])].filter((x) => x).join(", ") || "–"], ["Packets", page.number(c.packets)], ["Bytes", page.number(c.bytes)],
      ["First", page.clock(c.first_time)], ["Last", page.clock(c.last_time)], ["Lost by the capture", c.dropped === undefined ? "–" : page.number(c.dropped)], ["Problem", c.problem || (c.cut_short ? "cut short" : "none")]];
    s.append(page.make("dl", { class: "facts searchable" }, rows.flatMap(([k, v]) => [page.make("dt", {}, k), page.make("dd", { "data-fact": k.toLowerCase() }, v)])));
  }
  const words = [[t.decoded, "datagrams of connections"], [t.other_udp, "other datagrams"], [t.malformed, "malformed"], [t.bad_checksums, "with a bad checksum"], [t.ip_fragments, "IP fragments"], [t.not_udp, "packets that are not UDP"]];
  s.append(page.make("p", {}, words.filter((w) => w[0]).map((w) => page.number(w[0]) + " " + w[1]).join(", ") + "."));
  s.append(page.make("p", { class: "made" }, "Made by " + page.made.made + ". Times are UTC. " + (page.made.redacted ? "Addresses and words of packets were replaced. " : "") +
    "The numbers are those of its JSON, which is in this page. Nothing was loaded and nothing was sent: the page's content security policy allows no request."));
};
