package lab

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
)

type datagrams = []dissect.Datagram

// touchAll changes each datagram.
func touchAll(change func(i int, d *dissect.Datagram)) func(datagrams) datagrams {
	return func(all datagrams) datagrams {
		for i := range all {
			change(i, &all[i])
		}
		return all
	}
}

// without leaves out what drop picks.
func without(drop func(i int, d *dissect.Datagram) bool) func(datagrams) datagrams {
	return func(all datagrams) datagrams {
		i := -1
		return slices.DeleteFunc(all, func(d dissect.Datagram) bool { i++; return drop(i, &d) })
	}
}

// TestQuality: each rule of capture quality and field diagnosis is found where its
// cause was made, and not without it.
func TestQuality(t *testing.T) {
	for _, c := range []struct {
		rule, on string
		edit     func(datagrams) datagrams
	}{
		{"CAP-GAP", "dp8/unsigned-clean", without(func(i int, d *dissect.Datagram) bool { return i%7 == 6 })},
		{"CAP-DROPS", "dp8/unsigned-clean", touchAll(func(i int, d *dissect.Datagram) {
			if i >= 30 {
				d.Dropped = 37
			}
		})},
		{"CAP-DUP", "dp8/unsigned-clean", func(all datagrams) (out datagrams) {
			for _, d := range all {
				again := d
				again.Time += 20e3
				out = append(out, d, again)
			}
			return out
		}},
		{"CAP-TIME", "dp8/unsigned-clean", touchAll(func(i int, d *dissect.Datagram) {
			if i == 40 {
				d.Time -= 400e6
			}
		})},
		{"CAP-CLOCKRES", "dp8/unsigned-clean", touchAll(func(i int, d *dissect.Datagram) { d.Time -= d.Time % 10e6 })},
		{"CAP-SNAP", "dp8/unsigned-clean", touchAll(func(i int, d *dissect.Datagram) { d.Payload = d.Payload[:min(len(d.Payload), 24)] })},
		{"CAP-SUM", "dp8/unsigned-clean", touchAll(func(i int, d *dissect.Datagram) { d.BadChecksum = i == 30 })},
		{"CAP-OFFLOAD", "dp8/unsigned-clean", touchAll(func(i int, d *dissect.Datagram) {
			if i == 50 {
				d.Length = 8000
			}
		})},
		{"CAP-ONEWAY", "dp8/unsigned-clean", func(all datagrams) datagrams {
			from := all[0].Src
			return slices.DeleteFunc(all, func(d dissect.Datagram) bool { return d.Src != from })
		}},
		{"CAP-MIDSTART", "dp8/unsigned-clean", func(all datagrams) datagrams { return all[10:] }},
		{"CAP-UPLOSS", "dp8/unsigned-lossy", nil},
		{"FLD-NOREPLY", "dp8/refused", nil},
		{"FLD-GIVEUP", "dp8/killed-peer", nil},
		{"FLD-SIDE", "dp4/nacks-wide-masks", nil},
		{"FLD-SPURIOUS", "dp4/nacks-wide-masks", nil},
		{"FLD-DTLS", "hazel/dtls", nil},
		{"CAP-REORDER", "dp8/unsigned-clean", func(all datagrams) datagrams {
			for i := 20; i+1 < len(all); i++ {
				if a, b := &all[i], &all[i+1]; a.Src == b.Src && a.Payload[0]&b.Payload[0]&1 != 0 {
					all[i], all[i+1] = *b, *a
					all[i].Time, all[i+1].Time = b.Time, a.Time
					return all
				}
			}
			panic("no neighbours to swap")
		}},
		{"FLD-BLACKOUT", "dp8/unsigned-clean", touchAll(func(i int, d *dissect.Datagram) {
			if i >= 60 {
				d.Time += 6e9
			}
		})},
		{"FLD-BURST", "dp8/unsigned-clean", without(func(i int, d *dissect.Datagram) bool { return i > 30 && i < 70 })},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if c.edit == nil {
				if found(t, c.on, c.rule, nil) == 0 {
					t.Error("not found")
				}
				return
			}
			if found(t, c.on, c.rule, nil) > 0 {
				t.Error("found without its cause")
			}
			if found(t, c.on, c.rule, c.edit) == 0 {
				t.Error("not found")
			}
		})
	}
}

// found is how often a rule is found in a scenario.
func found(t *testing.T, on, rule string, edit func(datagrams) datagrams) (n int) {
	t.Helper()
	m := Mutant{On: on}
	file, _, err := m.capture()
	if err != nil {
		t.Fatal(err)
	}
	all, err := readAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		all = renumber(edit(all))
	}
	r := check(all, session.Config{Protocols: protocols.All(protocols.Options{})})
	for _, f := range r.Findings {
		if f.Rule.ID == rule && f.Failed() {
			n++
		}
	}
	return n
}
