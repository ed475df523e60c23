package tracegen

import (
	"bytes"
	"testing"
)

func knetSum(c *Connection, f func(d *Direction) int) (n int) {
	for _, key := range []string{"a", "b"} {
		d := c.Directions[key]
		n += f(&d)
	}
	return n
}

// knetIs reports a connection of a dialect in a state.
func knetIs(dialect, state, by string, more ...func(c *Connection) bool) func(c *Connection) bool {
	return func(c *Connection) bool {
		for _, f := range more {
			if !f(c) {
				return false
			}
		}
		return c.Directions["a"].Dialect == dialect && c.State == state && c.ClosedBy == by
	}
}

func knetProven(c *Connection) bool {
	return c.Directions["a"].Proven && (c.Directions["b"].Frames == 0 || c.Directions["b"].Proven)
}

func knetRetried(c *Connection) bool {
	return knetSum(c, func(d *Direction) int { return d.Retries }) > 0
}

func knetDoubled(c *Connection) bool {
	return knetSum(c, func(d *Direction) int { return d.Duplicates }) > 4
}

func knetSwapped(c *Connection) bool {
	return knetSum(c, func(d *Direction) int { return d.OutOfOrder }) > 0
}

func knetUncut(c *Connection) bool { return c.Complete }

func knetCut(c *Connection) bool { return !c.Complete }

func knetPinged(c *Connection) bool {
	return c.Directions["a"].KeepAlives > 0 && c.Directions["b"].KeepAlives > 0
}

func knetMissed(c *Connection) bool {
	return knetSum(c, func(d *Direction) int { return d.Lost.NotCaptured }) > 3
}

func knetLarge(parts int) func(c *Connection) bool {
	return func(c *Connection) bool { return largest(c) >= parts }
}

// knetOver reports numbers of messages beyond a wrap in both directions.
func knetOver(wrap int64) func(c *Connection) bool {
	return func(c *Connection) bool {
		for _, d := range c.Directions {
			over := false
			for _, m := range d.Messages {
				over = over || m.Number >= wrap
			}
			if !over || *d.FirstNumber >= 1<<22 || *d.HighestNumber < 1<<22 {
				return false
			}
		}
		return !c.Complete
	}
}

// knetOutcomes is what is expected of the first connection of each scenario.
var knetOutcomes = map[string]func(c *Connection) bool{
	"clean-reference": knetIs("reference", "closed", "a", smooth, knetUncut, knetProven, knetPinged),
	"lossy-reference": knetIs("reference", "closed", "a", knetRetried, knetSwapped, func(c *Connection) bool {
		return knetSum(c, func(d *Direction) int { return d.UnneededRetries }) > 0
	}),
	"clean-2010": knetIs("reference", "closed", "a", knetPinged, func(c *Connection) bool {
		return *c.Directions["a"].FirstNumber == 0 && *c.Directions["b"].FirstNumber == 0
	}),
	"connect-text":              knetIs("reference", "closed", "a", knetUncut),
	"transfers-reference":       knetIs("reference", "closed", "a", smooth, knetLarge(19)),
	"transfers-lossy-reference": knetIs("reference", "closed", "a", knetLarge(13), knetRetried, knetSwapped),
	"replaced-messages":         knetIs("reference", "closed", "a", smooth),
	"flow-control-reference":    knetIs("reference", "closed", "b"),
	"wrap-reference":            knetIs("reference", "closed", "a", knetOver(1<<31), knetRetried),
	"clean-page":                knetIs("spec", "closed", "a", smooth, knetUncut, knetProven, knetPinged),
	"lossy-page":                knetIs("spec", "closed", "a", knetRetried),
	"clean-page-2011":           knetIs("spec", "closed", "b", smooth, knetPinged),
	"acks-word-first-page":      knetIs("spec", "closed", "a", knetRetried),
	"transfers-page":            knetIs("spec", "closed", "a", knetLarge(12), knetRetried),
	"dependencies-page":         knetIs("spec", "closed", "a", smooth),
	"dependencies-lossy-page":   knetIs("spec", "closed", "a", knetRetried),
	"new-ids-page": knetIs("spec", "closed", "a", func(c *Connection) bool {
		return c.Directions["a"].Retries > 1 && c.Directions["a"].Duplicates == 0
	}),
	"flow-control-page":       knetIs("spec", "closed", "a", smooth),
	"wrap-page":               knetIs("spec", "closed", "b", knetOver(1<<22), knetRetried),
	"midstream-reference":     knetIs("reference", "closed", "b", knetCut),
	"midstream-page":          knetIs("spec", "unknown", "", knetCut),
	"one-direction-reference": knetIs("reference", "", "", func(c *Connection) bool { return c.Directions["b"].Frames == 0 }),
	"one-direction-page":      knetIs("spec", "", "", knetCut, func(c *Connection) bool { return c.Directions["b"].Frames == 0 }),
	"capture-loss-reference":  knetIs("reference", "closed", "a", knetMissed),
	"capture-loss-page":       knetIs("spec", "closed", "a", knetMissed),
	"early-stop-reference":    knetIs("reference", "established", "", knetUncut),
	"copies-reference":        knetIs("reference", "closed", "a", knetDoubled),
	"copies-page":             knetIs("spec", "closed", "a", knetDoubled),
	"copies-zero-id-page":     knetIs("spec", "closed", "a", knetDoubled),
	"copies-zero-id-reference": knetIs("reference", "closed", "a", knetDoubled, func(c *Connection) bool {
		return knetSum(c, func(d *Direction) int { return d.Duplicates - d.Numbered }) == 0
	}),
	"ipv6-reference":            knetIs("reference", "closed", "a"),
	"ipv6-page":                 knetIs("spec", "closed", "a"),
	"malformed-reference":       knetIs("reference", "closed", "a", smooth),
	"malformed-page":            knetIs("spec", "closed", "a", smooth),
	"garbage-reference":         knetIs("reference", "closed", "a", smooth),
	"refused-icmp-page":         knetIs("spec", "closed", "a"),
	"refused-icmp-reference":    knetIs("reference", "closed", "a"),
	"turned-away-reference":     knetIs("reference", "closed", "a"),
	"unanswered-page":           knetIs("spec", "closed", "a"),
	"refused-page":              knetIs("spec", "closed", "a"),
	"killed-late-reference":     knetIs("reference", "timed-out", ""),
	"handshake-lost-page":       knetIs("spec", "closed", "a", knetUncut),
	"killed-peer-reference":     knetIs("reference", "timed-out", "", knetRetried),
	"killed-peer-page":          knetIs("spec", "timed-out", "", knetRetried),
	"killed-process-reference":  knetIs("reference", "reset", ""),
	"killed-process-page":       knetIs("spec", "reset", ""),
	"kicked-reference":          knetIs("reference", "closed", "b"),
	"crossing-close-reference":  knetIs("reference", "closed", "both"),
	"crossing-close-page":       knetIs("spec", "closed", "both"),
	"hasty-close-page":          knetIs("spec", "closed", "a"),
	"answer-lost-page":          knetIs("spec", "closed", "a"),
	"disconnect-lost-reference": knetIs("reference", "closed", "a"),
	"second-series-reference":   knetIs("reference", "", ""),
	"again-reference":           knetIs("reference", "closed", "a"),
	"again-page":                knetIs("spec", "closed", "a"),
}

// knetSeconds is the state of the second connection, where there is one.
var knetSeconds = map[string]string{
	"refused-icmp-page": "refused", "refused-icmp-reference": "refused", "turned-away-reference": "opening", "unanswered-page": "timed-out",
	"refused-page": "refused", "second-series-reference": "", "again-reference": "closed", "again-page": "closed",
}

func TestKnet_SecondConnections(t *testing.T) {
	for _, s := range knetScenarios() {
		_, truth, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		want, two := knetSeconds[s.Name]
		if n := len(truth.Connections); n != 1 && !two || two && n != 2 {
			t.Errorf("%s: %d connections", s.Name, n)
			continue
		}
		if c := truth.Connections[len(truth.Connections)-1]; two && (c.State != want || !c.Complete) {
			t.Errorf("%s: the second connection is %q, complete %v", s.Name, c.State, c.Complete)
		}
	}
}

// Worked datagrams of the library, and the page's: what endpoints send first.
func TestKnet_FirstDatagrams(t *testing.T) {
	for name, want := range map[string][][]byte{
		"clean-reference": {make([]byte, 8), {0x01, 0, 0, 0x02, 0, 1, 1, 0x02, 0, 1, 2}},
		"clean-2010":      {make([]byte, 8), {0x00, 0, 0, 0x02, 0, 0, 1, 0x02, 0, 0, 2}},
		"clean-page":      {append([]byte{0, 0, 0, 19, 0, 0xfd, 0xff, 0xff, 0xff}, "robin:let me in"...), append([]byte{0, 0, 0, 11, 0, 0xfc, 0xff, 0xff, 0xff}, "welcome"...), {1, 0, 0x40, 4, 0, 0xfb, 0xff, 0xff, 0xff}},
	} {
		for _, s := range knetScenarios() {
			if s.Name != name {
				continue
			}
			got := payloads(t, &s, len(want))
			for i := range want {
				if !bytes.Equal(unflag(got[i]), want[i]) {
					t.Errorf("%s, datagram %d: % x, want % x", name, i+1, got[i], want[i])
				}
			}
		}
	}
}

// unflag clears the library's InOrder flags, which mean nothing on what it sends by
// itself.
func unflag(b []byte) []byte {
	out := bytes.Clone(b)
	if len(b) == 11 {
		out[0] &^= 0x80
		out[4] &^= 0x20
		out[8] &^= 0x20
	}
	return out
}

// payloads are those of the first captured datagrams of a trace over IPv4 and
// Ethernet.
func payloads(t *testing.T, s *Scenario, n int) (all [][]byte) {
	t.Helper()
	file, _, err := s.Generate()
	if err != nil {
		t.Fatal(err)
	}
	for at := 24; at < len(file) && len(all) < n; {
		size := int(file[at+8]) | int(file[at+9])<<8
		p := file[at+16 : at+16+size]
		all = append(all, p[42:34+int(p[38])<<8+int(p[39])])
		at += 16 + size
	}
	return all
}
