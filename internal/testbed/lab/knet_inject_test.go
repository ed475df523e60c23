package lab

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// TestKnetInjected puts single datagrams into captures, where nobody answers them:
// each is found at its frame, and nothing else is found, whatever PacketID it has.
func TestKnetInjected(t *testing.T) {
	for _, x := range slices.Concat(knetFrameCases(), knetReservedCases()) {
		name := knetPageSession
		if x.lib {
			name = knetLibSession
		}
		whole := captured(t, name)
		for _, at := range []int{12, 30, 70} {
			for _, how := range []string{"own", "next", "later"} {
				knetInjectAndCheck(t, &x, whole, at, how)
			}
		}
	}
}

// captured generates a scenario and reads what was captured of it.
func captured(t *testing.T, name string) []dissect.Datagram {
	for _, s := range tracegen.Scenarios() {
		if s.Proto+"/"+s.Name == name {
			file, _, err := s.Generate()
			if err != nil {
				t.Fatal(err)
			}
			all, err := readAll(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
	}
	t.Fatal("no scenario " + name)
	return nil
}

func knetInjectAndCheck(t *testing.T, x *knetCase, whole []dissect.Datagram, at int, how string) {
	all := slices.Clone(whole)
	d := all[at]
	dialect := knet.Spec
	if x.lib {
		dialect = knet.Reference
	}
	id := uint32(knetOwnID)
	if how != "own" {
		var k knet.Datagram
		k.Decode(d.Payload, knet.Params{Dialect: dialect}, nil)
		id = k.PacketID + 1
	}
	if how == "later" {
		id += 10
	}
	d.Payload = x.fault(id)
	d.Length, d.Time, d.IPID, d.Sum = len(d.Payload), d.Time+300e3, d.IPID^0x5555, 0
	all = renumber(slices.Insert(all, at+1, d))
	frame := all[at+1].Frame
	where := fmt.Sprintf("%s, %s, behind %d, PacketID %s", x.rule, x.name, at, how)
	found, blocked := false, ""
	for _, f := range check(all, session.Config{Protocols: protocols.All(protocols.Options{}), Inconclusive: true}).Findings {
		switch {
		case !f.Failed():
			blocked = fmt.Sprintf("%s %s", f.Rule.ID, f.Guard)
		case f.Frame == frame && f.Rule.ID == x.rule:
			found = true
		case f.Frame == frame && how == "own" && f.Rule.ID == "KN-DG-ID-INC":
		case f.Frame == frame && f.Severity != conform.Error || slices.Contains(x.also, f.Rule.ID):
		case f.Frame != frame && f.Severity == conform.Note:
			t.Logf("%s: note %s frame %d: %s", where, f.Rule.ID, f.Frame, f.Message)
		default:
			t.Errorf("%s: found too: %s frame %d of %d: %s", where, f.Rule.ID, f.Frame, frame, f.Message)
		}
	}
	if !found {
		t.Errorf("%s: not found at frame %d, %s", where, frame, blocked)
	}
}
