package whole

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/session"
)

// timedOutIn are the addresses of connections that timed out in a trace.
func timedOutIn(t *testing.T, truth string) (addresses [][2]string) {
	t.Helper()
	b, err := os.ReadFile(truth)
	if err != nil {
		t.Fatal(err)
	}
	type side struct{ Address string }
	var doc struct {
		Connections []struct {
			A, B  side
			State string
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Connections {
		if c.State == "timed-out" {
			addresses = append(addresses, [2]string{c.A.Address, c.B.Address})
		}
	}
	return addresses
}

// between are the datagrams of an address pair.
func between(all []dissect.Datagram, ends [2]string) (some []dissect.Datagram) {
	for _, d := range all {
		src, dst := d.Src.String(), d.Dst.String()
		if src == ends[0] && dst == ends[1] || src == ends[1] && dst == ends[0] {
			some = append(some, d)
		}
	}
	return some
}

// TestTimedOutByClock: a run without end knows by the clock alone that a side has given
// up. No packet of anybody comes after the last one that proves it not yet.
func TestTimedOutByClock(t *testing.T) {
	truths, err := filepath.Glob("../../../testdata/pcaps/*/*.truth.json")
	if err != nil {
		t.Fatal(err)
	}
	waited := map[string]int{}
	for _, truth := range truths {
		for _, ends := range timedOutIn(t, truth) {
			all := between(captured.Tracked(t, strings.TrimSuffix(truth, ".truth.json")+".pcap"), ends)
			for i := range all {
				all[i].Frame = uint64(i + 1)
			}
			for n := len(all); n > len(all)-5; n-- {
				s := heard(all[:n])
				if s == nil {
					break // too few datagrams to be recognised
				}
				if s.state() == session.TimedOut {
					continue // its tries are enough
				}
				waited[filepath.Base(filepath.Dir(truth))]++
				s.check(t, truth)
				break
			}
		}
	}
	for _, p := range protocols.All(protocols.Options{}) {
		if waited[p.Name] == 0 {
			t.Errorf("%s: no trace in which the clock decides", p.Name)
		}
	}
}

// A silent is a connection of which nothing more comes.
type silent struct {
	tab  *session.Table
	conn *session.Conn
	end  int64
}

// heard runs datagrams through a tracker of a run without end; nil when the latest is
// of no connection.
func heard(all []dissect.Datagram) *silent {
	tab := session.NewTable(session.Config{Protocols: protocols.All(protocols.Options{}), Idle: session.DefaultIdle})
	for i := range all {
		tab.Add(&all[i])
	}
	last := all[len(all)-1]
	for _, c := range tab.Conns() {
		if c.LastFrame == last.Frame {
			return &silent{tab, c, last.Time}
		}
	}
	return nil
}

func (s *silent) state() session.State {
	state, _ := s.conn.StateNow()
	return state
}

// check lets a minute pass: the connection times out, and that is its end.
func (s *silent) check(t *testing.T, name string) {
	t.Helper()
	after := int64(0)
	for ; after < 60 && s.state() != session.TimedOut; after++ {
		s.tab.Tick(s.end + after*1e9)
	}
	if s.state() != session.TimedOut || !s.conn.Over() || after < 2 {
		t.Errorf("%s: %v after %d s of silence", name, s.state(), after)
		return
	}
	s.tab.Close(s.end)
	if s.conn.State != session.TimedOut {
		t.Errorf("%s: it ends as %v", name, s.conn.State)
	}
}
