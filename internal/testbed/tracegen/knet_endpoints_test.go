package tracegen

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Every scenario's endpoints keep to the texts.
func TestKnet_ScenariosConform(t *testing.T) {
	seen := map[string]int{}
	for _, s := range knetList() {
		a := playKnet(t, s, seedOf(s.Name, 0), func(fault string) { t.Errorf("%s: %s", s.Name, fault) }, nil)
		for what, n := range a.seen {
			seen[what] += n
		}
	}
	for _, what := range []string{"connect", "again", "transfer id again", "fragment before start", "ping", "pong", "flow", "acked",
		"code 0", "code 1", "code 2", "code 3", "code 4", "code 5", "code 6", "code 7"} {
		if seen[what] == 0 {
			t.Errorf("no scenario has %q", what)
		}
	}
}

// playKnet plays a scenario under the eyes of an auditor.
func playKnet(t *testing.T, s KnetScenario, seed uint64, fault func(string), prepare func(tr *KnetTrace, a *knetAuditor)) (a *knetAuditor) {
	t.Helper()
	play := s.Play
	s.Play = func(tr *KnetTrace) {
		a = auditKnet(tr, fault)
		if prepare != nil {
			prepare(tr, a)
		}
		play(tr)
	}
	all := s.Scenario()
	all.Seed = seed
	if _, _, err := all.Generate(); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestKnet_AuditorNoticesFaults changes what the auditor sees.
func TestKnet_AuditorNoticesFaults(t *testing.T) {
	edit := func(at int, x byte) func(b []byte) { return func(b []byte) { b[at%len(b)] ^= x } }
	library, page := knetLossy(), knetPageOrder()
	for name, x := range map[string]struct {
		s    KnetScenario
		edit func(b []byte)
	}{
		"PacketID": {library, edit(0, 4)}, "reliable": {library, edit(0, 0x40)}, "in order": {library, edit(0, 0x80)}, "base": {library, edit(3, 1)},
		"last byte": {library, edit(-1+1<<16, 0x55)}, "length": {library, edit(5, 1)},
		"page: PacketID": {page, edit(0, 2)}, "page: reliable": {page, edit(2, 0x40)}, "page: in order": {page, edit(2, 0x80)},
		"page: dependency": {page, edit(4, 0x14)}, "page: index": {page, edit(5, 0x13)}, "page: length": {page, edit(3, 1)},
	} {
		found, n := 0, 0
		playKnet(t, x.s, 7, func(string) { found++ }, func(tr *KnetTrace, a *knetAuditor) {
			tr.Net.Sent = func(d *sim.Datagram) {
				b := append([]byte(nil), d.Payload...)
				if n++; n > 12 && len(b) > 6 {
					x.edit(b)
				}
				told := d.Note.(note.Remark).Neutral()
				func() {
					defer func() {
						if recover() != nil {
							found++ // not even readable
						}
					}()
					a.sees(tr.Net.Clock.Now(), b, told.Conn, told.Side)
				}()
			}
		})
		if found == 0 || n < 20 {
			t.Errorf("%s: %d datagrams, %d faults noticed", name, n, found)
		}
	}
}

// knetWeather is endpoints and a network, all kinds of them over the seeds.
func knetWeather(seed uint64) KnetScenario {
	loss, late := []float64{0, 0.02, 0.06, 0.12}[seed%4], []float64{0, 0.1}[seed/4%2]
	paths := rough(loss, late/2, late)
	library := seed%2 == 0
	s := KnetScenario{Name: "weather", Clause: "-", Proves: "-", Expect: "-", Setup: Setup{Paths: paths}, A: knetpeer.Page(), B: knetpeer.Page()}
	a, b := council(40), council(40)
	if library {
		s.Setup.Paths = calm()
		s.A, s.B = knetpeer.Library(), knetpeer.Library()
		s.A.Skips, s.B.Skips = seed%3 == 0, seed%5 == 0
		a, b = arena(80), arena(80)
		paths = rough([]float64{0.01, 0.05, 0.1}[seed%3], late/2, late)
	} else {
		s.A.Scatter, s.B.Scatter = seed%3 == 0, seed%3 == 0
	}
	a.Large, b.Large = []int{1500, 4000}, []int{9000}
	s.Play = func(t *KnetTrace) {
		if library {
			t.worsen(paths)
		}
		t.calls(a, b, t.farewell())
	}
	return s
}

// Everything reliable arrives once; the page's ordered messages in their order.
func TestKnet_Delivery(t *testing.T) {
	again, open := 0, 0
	for seed := range uint64(80) {
		var got [2][]string
		var conn *note.Conn
		s := knetWeather(seed)
		name := fmt.Sprintf("seed %d", seed)
		a := playKnet(t, s, seed, func(fault string) { t.Errorf("%s: %s", name, fault) }, func(tr *KnetTrace, _ *knetAuditor) {
			for side, n := range []*knetpeer.Node{tr.A, tr.B} {
				keep := n.OnMessage
				n.OnMessage = func(p *knetpeer.Peer, data []byte) {
					conn = p.Conn()
					keep(p, data)
					got[1-side] = append(got[1-side], string(data))
				}
			}
		})
		again += a.seen["again"]
		if conn == nil {
			open++
			continue
		}
		for side := range got {
			knetArrived(t, fmt.Sprintf("%s, side %d", name, side), conn.Messages[side], got[side])
		}
	}
	if again < 100 || open > 3 {
		t.Errorf("%d sent again, %d never opened: too little to prove anything", again, open)
	}
}

// knetArrived checks what one side was given.
func knetArrived(t *testing.T, name string, said []*note.Message, got []string) {
	t.Helper()
	times := map[string]int{}
	for _, m := range got {
		times[m]++
	}
	for _, m := range said {
		n := times[string(m.Data)]
		if n > 1 && len(m.Data) > 8 || m.Reliable && n == 0 {
			t.Errorf("%s: message %d of %d bytes arrived %d times", name, m.ID, len(m.Data), n)
		}
	}
}

// kNet page, InOrder Datagrams and Messages: what depends on others is applied
// after them.
func TestKnetPage_InOrder_DeliveryFollowsDependencies(t *testing.T) {
	for seed := range uint64(30) {
		s := knetPageOrder()
		var sent, got []string
		playKnet(t, s, seed, func(string) {}, func(tr *KnetTrace, _ *knetAuditor) {
			tr.B.OnMessage = func(p *knetpeer.Peer, data []byte) {
				got = append(got, string(data))
				sent = sent[:0]
				for _, m := range p.Conn().Messages[0] {
					if m.Reliable {
						sent = append(sent, string(m.Data))
					}
				}
			}
		})
		k := 0
		for _, m := range got {
			if k < len(sent) && m == sent[k] {
				k++
			}
		}
		if k != len(sent) || k == 0 {
			t.Errorf("seed %d: %d of %d reliable messages were delivered in order", seed, k, len(sent))
		}
	}
}
