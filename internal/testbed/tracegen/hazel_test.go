package tracegen

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Endpoints of every release keep to the ids, lengths and timers of hazel's
// history, and lose nothing reliable where their histories are right.
func TestHazel_EndpointsConform(t *testing.T) {
	retried := 0
	for name, release := range map[string]func() hazelpeer.Config{"may14": hazelpeer.May14, "may30": hazelpeer.May30, "page": hazelpeer.Page,
		"page-late": hazelpeer.PageLate, "v0.1.2": hazelpeer.V012, "ack3-early": hazelpeer.Ack3Early, "ack3": hazelpeer.Ack3, "fe": hazelpeer.FE,
		"sep20": hazelpeer.Sep20, "one": hazelpeer.One, "now": hazelpeer.Now, "fork": hazelpeer.Fork, "open": func() hazelpeer.Config { return hazelpeer.Open(5000) }} {
		for seed := range uint64(12) {
			loss := []float64{0, 0.02, 0.05}[seed%3]
			tr := hazelStage(newTrace(Setup{Paths: rough(loss, loss/2, loss), Port: hazelPort}, seed), release(), release())
			if _, err := tr.record(io.Discard); err != nil {
				t.Fatal(err)
			}
			auditHazel(tr, func(what string) { t.Errorf("%s, seed %d: %s", name, seed, what) })
			a, b := bustle(60), bustle(60)
			a.Large = []int{2500}
			tr.calls(a, b, tr.later(5*time.Second))
			tr.Net.Clock.Run(limit, nil)
			c := tr.Book.Conns[0]
			for side := range c.Messages {
				retried += tr.truthWatch.conns[c].sides[side].Retries
				for _, m := range c.Messages[side] {
					if right := tr.A.Config.History == hazelpeer.Missing; right && c.GaveUp == [2]time.Duration{} && m.Reliable && !m.Delivered {
						t.Errorf("%s, seed %d: reliable message %d of side %d was not delivered", name, seed, m.ID, side)
					}
				}
			}
		}
	}
	if retried < 300 {
		t.Errorf("%d retries are too few to prove anything", retried)
	}
}

// TestHazel_AuditorNoticesFaults tampers with what the auditor sees.
func TestHazel_AuditorNoticesFaults(t *testing.T) {
	sent := map[string]bool{}
	faults := map[string]func(b []byte) bool{
		"another id":             func(b []byte) bool { b[2]++; return b[0] == 1 },
		"acknowledges the wrong": func(b []byte) bool { b[2] += 100; return b[0] == 0x0a },
		"history of all":         func(b []byte) bool { x := b[0] == 0x0a && b[3] != 0xff; b[len(b)-1] = 0xff; return x },
		"type of another":        func(b []byte) bool { b[0] = 0x81; return true },
		"retry is not the same":  func(b []byte) bool { x := sent[string(b)] && b[0] == 1; sent[string(b)] = true; b[3]++; return x },
	}
	for name, tamper := range faults {
		clear(sent)
		found, applied := 0, 0
		tr := hazelStage(newTrace(Setup{Paths: lossy(0.05), Port: hazelPort}, 3), hazelpeer.Now(), hazelpeer.Now())
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		a := auditHazel(tr, func(string) { found++ })
		tr.Net.Sent = func(d *sim.Datagram) {
			c := *d
			if b := bytes.Clone(d.Payload); len(b) > 3 && tamper(b) {
				applied++
				c.Payload = b
			}
			a.sees(tr.Net.Clock.Now(), &c)
		}
		tr.calls(bustle(80), bustle(80), bye)
		tr.Net.Clock.Run(limit, nil)
		if applied == 0 || found == 0 {
			t.Errorf("%s: %d applied, %d noticed", name, applied, found)
		}
	}
}

// A message that arrives is delivered once, retries and copies or not.
func TestHazel_DeliversOnce(t *testing.T) {
	for seed := range uint64(30) {
		tr := hazelStage(newTrace(Setup{Paths: rough(0.05, 0.05, 0.05), Port: hazelPort}, seed), hazelpeer.Fork(), hazelpeer.Fork())
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		a := bustle(50)
		a.Reliable, a.Large = 1, []int{4000, 9000}
		got := map[string]int{}
		tr.B.OnMessage = func(_ *hazelpeer.Peer, data []byte) { got[string(data)]++ }
		tr.calls(a, bustle(5), bye)
		tr.Net.Clock.Run(limit, nil)
		for _, m := range tr.Book.Conns[0].Messages[0] {
			if n := got[string(m.Data)]; n != 1 {
				t.Errorf("seed %d: message %d of %d bytes was delivered %d times", seed, m.ID, len(m.Data), n)
			}
		}
	}
}

// Hello to nowhere goes out when the library was seen to send it.
func TestHazel_UnansweredHello(t *testing.T) {
	for _, c := range []struct {
		release hazelpeer.Config
		want    []int // ms
	}{
		{hazelpeer.Now(), []int{0, 300, 900, 1900, 2900, 3900, 4900, 5000}},
		{hazelpeer.V012(), []int{0, 200, 600, 1400}},
		{hazelpeer.Ack3Early(), []int{0, 300, 900, 2100, 3600, 5000}},
	} {
		tr := hazelStage(newTrace(Setup{Paths: calm(), Port: hazelPort}, 1), c.release, c.release)
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		var at []int
		tr.Net.Sent = func(d *sim.Datagram) { at = append(at, int(tr.Net.Clock.Now()/time.Millisecond)) }
		tr.Hosts[1].Receive = nil
		tr.A.Connect(tr.B)
		tr.Net.Clock.Run(limit, nil)
		if fmt.Sprint(at) != fmt.Sprint(c.want) {
			t.Errorf("%v: sent at %v ms, want %v", c.release.Dialect, at, c.want)
		}
	}
}

// The history bytes the releases were seen to send.
func TestHazel_Histories(t *testing.T) {
	// Ids 0 and 1 arrive, then 4: fc. A sender that starts at 1: fe, fd, fb …
	for _, c := range []struct {
		release hazelpeer.Config
		ids     []byte
		want    []byte
	}{
		{hazelpeer.Now(), []byte{0, 1, 4}, []byte{0xff, 0xff, 0xfc}},
		{hazelpeer.Now(), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, []byte{0xfe, 0xfd, 0xfb, 0xf7, 0xef, 0xdf, 0xbf, 0x7f, 0xff}},
		{hazelpeer.Sep20(), []byte{1, 2, 4, 5}, []byte{0xff, 0xff, 0xff, 0xfd}},
		{hazelpeer.FE(), []byte{1, 2, 4}, []byte{0xfe, 0xfe, 0xfe}},
	} {
		tr := hazelStage(newTrace(Setup{Paths: calm(), Port: hazelPort}, 1), c.release, c.release)
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		var got []byte
		tr.Net.Sent = func(d *sim.Datagram) {
			if d.From == tr.Hosts[1] && d.Payload[0] == 0x0a {
				got = append(got, d.Payload[3])
			}
		}
		conn := &note.Conn{Hosts: tr.Hosts, Protocol: "hazel"}
		tr.B.Expect(conn)
		for i, id := range c.ids {
			n := note.New(conn, 0, "RELIABLE")
			n.Opens = i == 0
			payload := []byte{1, 0, id}
			if i == 0 {
				payload = []byte{8, 0, id, 0}
			}
			tr.At(time.Duration(i)*100*time.Millisecond, func() {
				tr.Net.Send(&sim.Datagram{From: tr.Hosts[0], To: tr.Hosts[1], Payload: payload, Note: n})
			})
		}
		tr.Net.Clock.Run(900*time.Millisecond, nil)
		if !bytes.Equal(got, c.want) {
			t.Errorf("ids %v: histories % x, want % x", c.ids, got, c.want)
		}
	}
}
