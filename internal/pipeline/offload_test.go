package pipeline

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
)

// receiveOffload makes of a capture what a host with receive offload would have
// captured: datagrams that came one behind the other and follow each other, of equal
// length but the last, are one. It gives that, and the same with each datagram for
// itself, but with the times and frame numbers of the former.
func receiveOffload(all []dissect.Datagram, p *session.Protocol) (joined, apart []dissect.Datagram, groups int) {
	longest := map[[2]dissect.Endpoint]int{}
	for i := 0; i < len(all); {
		n := follow(all[i:], p)
		d := all[i]
		way := [2]dissect.Endpoint{d.Src, d.Dst}
		bytes := 0
		for _, x := range all[i : i+n] {
			bytes += x.Length
		}
		if n < 3 || bytes <= longest[way] {
			n = 1
		}
		d.Frame = uint64(len(joined) + 1)
		for k, x := range all[i : i+n] {
			x.Frame, x.Time = d.Frame, d.Time
			if n > 1 {
				x.IPID, x.Sum = d.IPID+uint16(k), 0
				if d.IPID == 0 {
					x.IPID = 0
				}
			}
			apart = append(apart, x)
		}
		if n > 1 {
			groups++
			d.Length, d.Payload = bytes, nil
			for _, x := range all[i : i+n] {
				d.Payload = append(d.Payload, x.Payload...)
			}
		} else {
			longest[way] = max(longest[way], d.Length)
		}
		joined = append(joined, d)
		i += n
	}
	return joined, apart, groups
}

// follow is how many datagrams offload would join with the first.
func follow(all []dissect.Datagram, p *session.Protocol) int {
	n, first := 1, &all[0]
	fits := func(d *dissect.Datagram) bool {
		return d.Kind == dissect.UDP && d.Fragments == 0 && !d.Cut() && !d.BadChecksum && d.Src == first.Src && d.Dst == first.Dst && d.TTL == first.TTL
	}
	for fits(first) && n < len(all) && n < 64 && fits(&all[n]) && p.Follows(all[n-1].Payload, all[n].Payload) && all[n].Length <= first.Length {
		n++
		if all[n-1].Length < first.Length {
			break
		}
	}
	return n
}

// withoutOffload leaves out what is said of offload itself: the rule, and how many
// notes a connection has.
func withoutOffload(lines []string) []string {
	notes := regexp.MustCompile(` \d+\]$`)
	var out []string
	for _, line := range lines {
		if strings.HasPrefix(line, "connection of ") {
			line = notes.ReplaceAllString(line, "]")
		}
		if !strings.Contains(line, "CAP-OFFLOAD") {
			out = append(out, line)
		}
	}
	return out
}

// TestOffloadAlike: of a capture whose packets stand for several datagrams it is told
// what is told of the same datagrams one by one, in files of all protocols.
func TestOffloadAlike(t *testing.T) {
	groups := map[string]int{}
	for _, path := range allCaptures(t) {
		name := filepath.Base(filepath.Dir(path))
		for _, p := range protocols.All(protocols.Options{}) {
			if p.Name != name {
				continue
			}
			joined, apart, n := receiveOffload(readAll(t, path), p)
			groups[name] += n
			if n == 0 {
				continue
			}
			alike(t, path, withoutOffload(written(apart, session.Config{}, true)), withoutOffload(written(joined, session.Config{}, true)))
		}
	}
	for _, p := range protocols.All(protocols.Options{}) {
		if groups[p.Name] < 2 {
			t.Errorf("%s: %d packets stand for several datagrams", p.Name, groups[p.Name])
		}
	}
}
