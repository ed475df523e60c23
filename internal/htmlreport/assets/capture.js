// How good the capture is, and how this page was made.
"use strict";
page.capture = function () {
  const s = page.section("capture", "Capture");
  const t = page.analysis.totals;
  const body = page.make("tbody");
  for (const c of page.analysis.captures) {
    body.append(page.make("tr", { class: "searchable" }, [c.path, c.format || "–", (c.link_types || []).join(", "), page.number(c.packets), page.number(c.bytes),
      page.clock(c.first_time), page.clock(c.last_time), c.dropped === undefined ? "–" : page.number(c.dropped), c.problem || (c.cut_short ? "cut short" : "")].map((x) => page.make("td", {}, x))));
  }
  s.append(page.make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Captures" }, page.make("table", {},
    page.make("thead", {}, page.make("tr", {}, ["File", "Format", "Link", "Packets", "Bytes", "First", "Last", "Lost by the capture", "Problem"].map((h) => page.make("th", { scope: "col" }, h)))), body)));
  const words = [[t.decoded, "datagrams of connections"], [t.other_udp, "other datagrams"], [t.malformed, "malformed"], [t.bad_checksums, "with a bad checksum"], [t.ip_fragments, "IP fragments"], [t.not_udp, "packets that are not UDP"]];
  s.append(page.make("p", {}, words.filter((w) => w[0]).map((w) => page.number(w[0]) + " " + w[1]).join(", ") + "."));
  const points = page.explain.connections.filter((c) => c.capture_point && c.capture_point.near);
  if (points.length) {
    s.append(page.make("ul", {}, points.slice(0, 20).map((c) => page.make("li", {}, "Connection " + c.id + " was captured near " + c.capture_point.near + "."))));
  }
  s.append(page.make("p", { class: "made" }, "Made by " + page.made.made + ". Times are UTC. " + (page.made.redacted ? "Addresses and words of packets were replaced. " : "") +
    "The numbers are those of its JSON, which is in this page. Nothing was loaded and nothing was sent: the page's content security policy allows no request."));
};
