package explain

import (
	"fmt"
	"strings"
)

// groupSentence tells of connections that share a story, which lasted from the first to the last time,
// no surer than of the least sure of them.
func groupSentence(list []member, first, last int64) string {
	x, most := list[0], list[0].most
	likely := false
	for _, m := range list {
		most, likely = max(most, m.most), likely || m.likely
	}
	what, n := groupWords[x.cause], fmt.Sprint(len(list))
	if likely && !strings.Contains(what, "most likely") {
		what = mostLikely + what
	}
	ended := "were cut off"
	switch {
	case x.trouble():
		ended = "were in trouble"
		if there := x.with.underway(first, list[len(list)-1].from); there > len(list) {
			n = fmt.Sprintf("%d of %d", len(list), there)
		}
	case x.goesOn:
		ended = "went on as others"
	case abouts[x.cause].grave == declined:
		ended = "could not connect"
	}
	name := func(who part) string {
		if who == serverPart {
			return x.with.address
		}
		if who == noPart {
			return "one side"
		}
		return "the players"
	}
	what = strings.NewReplacer("{side}", name(x.by), "{who}", name(x.whose)).Replace(what)
	if most > 0 {
		what += ", " + fmt.Sprintf(groupMeasures[x.cause], span(most))
	}
	when := Instant(first).Clock()
	if Instant(last).Clock() != when {
		when += "–" + Instant(last).Clock()
	}
	return fmt.Sprintf("%s connections with %s %s at %s UTC: %s.", n, x.with.address, ended, when, what)
}

// groupWords say what happened to several connections at once; {side} stands for who did it, and
// {who} for whose packets it is about.
var groupWords = map[Cause]string{
	NoAnswer:          "nothing answered",
	Refused:           "{side} declined them",
	VersionMismatch:   "their versions differ",
	SecretMismatch:    "the two sides do not share a secret",
	PortClosed:        "{side} had gone, and the port is closed (ICMP)",
	ProtocolViolation: "{side} broke the protocol and was dropped",
	PeerRestarted:     "{side} began again from the start",
	RetriesExhausted:  "packets were not answered, and their senders gave up",
	SizeBlackHole:     "large packets are lost on the path, small ones are not",
	OneWay:            "only one direction of the path worked",
	NATExpired:        "a router (NAT) had forgotten them while they were idle",
	NATRebinding:      "they came back from other addresses (a router gave them new ones, or they moved)",
	PeerSilent:        "nothing more came from {side}, most likely a machine, a program or a network stopped",
	PathDead:          "the path between them broke",
	Reset:             "{side} cut them off",

	Loss:            "packets of {who}, or the answers to them, were lost",
	LossBurst:       "for a time packets of {who}, or the answers to them, did not arrive",
	Delay:           "what {who} sent was answered late",
	Bufferbloat:     "queues on the path filled up, and what {who} sent was answered later and later",
	WindowStall:     "{side} had to wait, because as much as may be sent was still unanswered",
	LateAcks:        "{side} answered late, or the path held everything back",
	PeerStalled:     "the program of {side} stood still",
	UnitStarved:     "messages of {who} got no answer while others did",
	SpuriousRetries: "{side} sent packets again that had arrived",
	Reordering:      "the network reordered what {who} sent",
	HiddenCopies:    "the network or the capture made duplicates of packets of {who}",
	ClockSkew:       "the merged captures have clocks that differ",
	ApplicationIdle: "the game of {side} said nothing",
}

// measured names the number of a cause that several connections have the largest of told, in ms …
var measured = map[Cause]string{Delay: "max_ms", Bufferbloat: "to_ms", WindowStall: "longest_ms", LateAcks: "ms", PeerStalled: "ms", LossBurst: "ms", UnitStarved: "ms", ApplicationIdle: "ms", ClockSkew: "ms"}

// … and groupMeasures are the words for it.
var groupMeasures = map[Cause]string{
	Delay:           "after up to %s",
	Bufferbloat:     "after up to %s",
	WindowStall:     "for up to %s",
	LateAcks:        "by up to %s",
	PeerStalled:     "for up to %s",
	LossBurst:       "and there was no answer for up to %s",
	UnitStarved:     "for up to %s",
	ApplicationIdle: "for up to %s",
	ClockSkew:       "by up to %s",
}
