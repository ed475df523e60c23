package report

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// TestNeighboursLine: what stands beside connections has a line of its own.
func TestNeighboursLine(t *testing.T) {
	a := fixture()
	a.Totals.Neighbours = []session.NeighbourCount{{Protocol: &dissect.Protocol{Name: "one", Title: "The One"}, N: 1}, {Protocol: &dissect.Protocol{Name: "two", Title: "The Two"}, N: 20}}
	want := "\nBesides connections: 1 datagram of one (The One); 20 datagrams of two (The Two); 'dpdissect decode -Y one' shows them.\n"
	if got := string(AppendText(nil, a, TextOptions{})); !strings.Contains(got, want) {
		t.Errorf("no line of the neighbours:\n%s", got)
	}
	if got := string(AppendText(nil, a, TextOptions{Quiet: true})); strings.Contains(got, "Beside") {
		t.Error("it is there with -q")
	}
}

// TestNoUDP: a capture without any is told so; an empty one has no packets.
func TestNoUDP(t *testing.T) {
	a := &Analysis{Captures: []capture.Info{{Path: "x.pcap", Format: "pcap", Packets: 1}}}
	for packets, want := range map[uint64]bool{0: false, 1: true} {
		a.Totals.Packets = packets
		if got := strings.Contains(string(AppendText(nil, a, TextOptions{})), "has no UDP datagram"); got != want {
			t.Errorf("%d packets: %v", packets, got)
		}
	}
}

// TestHintBelowFindings names what is explained.
func TestHintBelowFindings(t *testing.T) {
	for verdict, want := range map[bool]string{true: "'dpdissect rules show R-1' explains a rule.", false: "'dpdissect rules show VANT' explains a guard."} {
		f := session.Finding{Rule: &conform.Rule{ID: "R-1"}, Dir: session.SideA, Frame: 3, Message: "m"}
		if !verdict {
			f.Guard = conform.GuardVant
		}
		p := &painter{}
		if got := string(p.appendFindingsAs(nil, []session.Finding{f}, findingsText{noun: "finding"})); !strings.Contains(got, want) {
			t.Errorf("%q is not below\n%s", want, got)
		}
	}
}
