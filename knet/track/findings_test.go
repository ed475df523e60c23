package track_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/knet/rules"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A dock is a capture of which only the findings matter.
type dock struct {
	*sessiontest.Scene
	knet *session.Protocol
}

func newDock(t testing.TB, dialect string) *dock {
	p := rules.New()
	cfg := session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, dialect)}
	s := sessiontest.New(t, hosts, cfg)
	t.Cleanup(func() { sameWithoutRules(t, s, cfg, dialect) })
	return &dock{s, p}
}

// see captures a datagram 50 ms after the one before.
func (d *dock) see(t testing.TB, from dissect.Dir, payload string) {
	t.Helper()
	d.Wait(45)
	d.Raw(from, dissecttest.Unhex(t, payload))
}

// finds gives the rules broken in a capture that ends here.
func (d *dock) finds() (rules []string) {
	d.End()
	for _, f := range d.Accusations() {
		rules = append(rules, f.Rule.ID)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

func (d *dock) passes(t testing.TB, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if d.tally(id).Pass == 0 {
			t.Errorf("%s is not passed", id)
		}
	}
}

// tally gives what was counted for a rule.
func (d *dock) tally(id string) conform.Tally {
	i := slices.IndexFunc(rules.Rules, func(r conform.Rule) bool { return r.ID == id })
	return d.Table.Tallies(d.knet)[i]
}

// The datagrams of a session of the page: the client's, numbered by their PacketIDs,
// and the server's.
const (
	vecSyn        = "00 00 00 08 00 FD FF FF FF 75 73 65 72"
	vecSynAck     = "00 00 00 04 00 FC FF FF FF"
	vecConnectAck = "01 00 40 04 00 FB FF FF FF"
	vecAckOf1     = "01 00 00 08 00 03 01 00 00 00 00 00 00"
	vecPing       = "02 00 00 02 00 00 07"
	vecPong       = "02 00 00 02 00 01 07"
	vecAckOf124   = "03 00 00 08 00 03 01 00 40 01 00 00 00"
	vecData       = "04 00 C0 01 02 00 03 08 64 78 79"
	vecDisconnect = "09 00 80 00 04 00 FF FF FF FF"
)

// A line is one datagram of a capture.
type line struct {
	from    dissect.Dir
	payload string
}

func find(t *testing.T, want []string, lines ...line) *dock {
	t.Helper()
	d := newDock(t, "spec")
	for _, x := range lines {
		d.see(t, x.from, x.payload)
	}
	if got := d.finds(); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	return d
}

var vecOpened = []line{{0, vecSyn}, {1, vecSynAck}, {0, vecConnectAck}, {1, vecAckOf1}}

// opened is a capture that goes on after the handshake.
func opened(more ...line) []line { return append(slices.Clone(vecOpened), more...) }

// TestKNet_SessionManagement_Findings: the three datagrams of the handshake break nothing;
// sent otherwise they do.
func TestKNet_SessionManagement_Findings(t *testing.T) {
	find(t, nil, vecOpened...).passes(t, "KN-RM-SYN-REL", "KN-RM-CONNACK-REL", "KN-RM-CONNACK-LEN", "KN-RM-PLAIN-ORDER", "KN-SM-ROLE", "KN-RD-ACK-KNOWN")
	find(t, []string{"KN-RM-CONNACK-REL"}, opened(line{0, "02 00 00 04 00 FB FF FF FF"})...)
	find(t, []string{"KN-RM-CONNACK-LEN"}, opened(line{0, "02 00 40 05 00 FB FF FF FF 00"})...)
	find(t, []string{"KN-RM-SYN-REL"}, opened(line{0, "02 00 40 08 00 FD FF FF FF 75 73 65 72"})...)
}

// TestKNet_ReservedMessages_Findings: ping 7 under either map of ids, and what it must not be.
func TestKNet_ReservedMessages_Findings(t *testing.T) {
	find(t, nil, opened(line{0, vecPing}, line{1, vecPong})...).passes(t, "KN-RM-PING-LEN", "KN-RM-PING-REL", "KN-RM-PONG-LEN", "KN-RT-PONG-MATCH")
	find(t, []string{"KN-RM-PING-REL"}, opened(line{1, "02 00 00 08 00 03 01 00 00 00 00 00 00"}, line{0, "02 00 40 02 00 00 07"})...)
	find(t, []string{"KN-RM-ACK-LEN"}, opened(line{1, "02 00 00 07 00 03 01 00 00 00 00 00"})...)
	find(t, []string{"KN-RM-ACK-REL"}, opened(line{1, "02 00 40 08 00 03 01 00 00 00 00 00 00"})...)
}

// TestKNet_ReliableDatagrams_Findings: a PacketAck of 1, 2 and 4, which were sent reliable,
// and of a 1 that was not, which shows when both have gone on.
func TestKNet_ReliableDatagrams_Findings(t *testing.T) {
	const data = "40 03 00 14 61 62"
	begin := []line{{0, vecSyn}, {1, vecSynAck}, {0, vecConnectAck}}
	sent := []line{{1, "02 00 " + data}, {1, "03 00 " + data}, {1, "04 00 " + data}, {0, vecPing}, {0, vecAckOf124}}
	reliable := slices.Concat(begin, []line{{1, "01 00 " + data}}, sent)
	find(t, nil, reliable...).passes(t, "KN-RM-ACK-LEN", "KN-RM-ACK-REL", "KN-RD-ACK-KNOWN", "KN-RD-ACK-UNREL")
	plain := slices.Concat(begin, []line{{1, vecAckOf1}}, sent)
	for i := range 40 {
		plain = append(plain, line{0, fmt.Sprintf("%02x 00 00 03 00 14 61 62", 4+i)}, line{1, fmt.Sprintf("%02x 00 00 03 00 14 61 62", 5+i)})
	}
	find(t, []string{"KN-RD-ACK-UNREL"}, plain...)
}

// TestKNet_InOrderDatagramsAndMessages_Findings: message 100 depends on message 0 of
// PacketID 1, which the page allows, and only when the datagram says so.
func TestKNet_InOrderDatagramsAndMessages_Findings(t *testing.T) {
	more := []line{{0, "02 00 40 03 00 14 61 62"}, {0, "03 00 40 03 00 14 61 62"}}
	find(t, nil, opened(append(more, line{0, vecData})...)...).passes(t, "KN-MB-CODE15", "KN-DG-IODFIT", "KN-DG-INORDER-NEED", "KN-IO-REL-ON-UNREL", "KN-IO-INDEX")
	find(t, []string{"KN-DG-INORDER-NEED"}, opened(append(more, line{0, "04 00 40 03 08 64 78 79"})...)...)
	find(t, []string{"KN-MB-CODE15"}, opened(append(more, line{0, "04 00 C0 01 02 00 03 10 64 78 79"})...)...)
	find(t, []string{"KN-IO-INDEX"}, opened(append(more, line{0, "04 00 C0 01 02 05 03 08 64 78 79"})...)...)
	find(t, []string{"KN-IO-PAST"}, opened(append(more, line{0, "04 00 C0 01 08 00 03 08 64 78 79"})...)...)
}

// TestKNet_ClosingAConnection_Findings: Disconnect lists no dependency although its InOrder
// flag is set.
func TestKNet_ClosingAConnection_Findings(t *testing.T) {
	find(t, nil, opened(line{0, vecDisconnect})...).passes(t, "KN-RM-DISC-REL", "KN-RM-DISC-ORDER", "KN-RM-DISC-LEN")
	find(t, []string{"KN-RM-DISC-ORDER"}, opened(line{0, "09 00 00 04 00 FF FF FF FF"})...)
	find(t, []string{"KN-CL-AFTER-DISC"}, opened(line{0, vecDisconnect}, line{0, "0A 00 00 03 00 14 61 62"})...)
}
