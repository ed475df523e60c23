package whole

import (
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/session"
)

// TestSeenTwice: where the capture sees every packet twice, as `any` on a router
// does, and the identification proves it, round trips and retries are what they are
// without.
func TestSeenTwice(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/pcaps/*/*.pcap")
	samples := 0
	for _, f := range files {
		all := captured.Datagrams(t, f)
		if !identified(all) {
			continue
		}
		once, twice := conns(all), conns(mirrored(all))
		if len(once) != len(twice) {
			t.Errorf("%s: %d connections, seen twice %d", filepath.Base(f), len(once), len(twice))
			continue
		}
		for i := range once {
			for dir := range dissect.Dirs {
				a, b := &once[i].Dir[dir], &twice[i].Dir[dir]
				if a.RTT() != b.RTT() || a.Retries != b.Retries || once[i].State != twice[i].State {
					t.Errorf("%s, connection %d: %+v, %d retries, %s; seen twice %+v, %d, %s", filepath.Base(f), i,
						a.RTT(), a.Retries, once[i].State, b.RTT(), b.Retries, twice[i].State)
				}
				samples += int(a.RTT().Samples)
			}
		}
	}
	if samples < 1000 {
		t.Errorf("only %d round trips", samples)
	}
}

// identified reports whether the datagrams of a capture are recognised by their
// identification: all have one, and none is a copy.
func identified(all []dissect.Datagram) bool {
	type key struct {
		src dissect.Endpoint
		id  uint16
	}
	seen := map[key]bool{}
	for i := range all {
		k := key{all[i].Src, all[i].IPID}
		if all[i].IPID == 0 || seen[k] {
			return false
		}
		seen[k] = true
	}
	return len(all) > 0 && len(all) < 5000
}

// mirrored has every datagram twice, one time to live apart.
func mirrored(all []dissect.Datagram) (out []dissect.Datagram) {
	for _, d := range all {
		d.Frame = uint64(len(out) + 1)
		out = append(out, d)
		d.Frame++
		d.TTL--
		out = append(out, d)
	}
	return out
}

func conns(all []dissect.Datagram) []*session.Conn {
	tab := session.NewTable(session.Config{Protocols: protocols.All(protocols.Options{})})
	for i := range all {
		give(tab, &all[i])
	}
	tab.Close(0)
	session.Number(tab.Conns())
	return tab.Conns()
}
