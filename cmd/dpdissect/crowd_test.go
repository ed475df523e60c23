package main

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// TestFloodIsTold: of many address pairs that open connections of Hazel again and again and
// are never answered, more are given up, and more look like one of the protocols, than there
// is room for. Documents, texts and standard error tell both, and check does not pass.
func TestFloodIsTold(t *testing.T) {
	dir := t.TempDir()
	path, large := filepath.Join(dir, "flood.pcapng"), filepath.Join(dir, "large.pcapng")
	for name, pairs := range map[string]int{path: 8_000, large: 70_000} {
		if err := os.WriteFile(name, excerpt.AsFile(openings(t, pairs)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const givenUp, forgotten = "address pairs given up before recognition", "There was no room to remember how"
	check, errs, code := call(t, "check", path)
	if code != exit.Poor || !strings.Contains(check, givenUp) || !strings.Contains(errs, givenUp) {
		t.Errorf("check: exit code %d\n%s%s", code, check, errs)
	}
	analysis, errs, _ := call(t, "analyze", "--format", "json", path)
	var totals struct {
		Totals struct {
			Undecided int `json:"undecided_left_out"`
		}
	}
	if err := json.Unmarshal([]byte(analysis), &totals); err != nil || totals.Totals.Undecided < 3_000 || !strings.Contains(errs, givenUp) {
		t.Errorf("analyze: %d left out, %v, stderr %q", totals.Totals.Undecided, err, errs)
	}
	explained, errs, _ := call(t, "explain", large)
	if !strings.Contains(explained, forgotten) || !strings.Contains(errs, forgotten) {
		t.Errorf("explain: %.2000s%s", explained, errs)
	}
}

// openings is the first datagram of a session, twice from each of many addresses.
func openings(t *testing.T, pairs int) (all []excerpt.Packet) {
	first := excerpt.Read(t, filepath.Join("..", "..", "testdata", "pcaps", "hazel", "lossy-current.pcap"))[0]
	for n := range pairs {
		p := first
		p.Data = slices.Clone(first.Data)
		ip, udp := p.Payload-28, p.Payload-8
		binary.BigEndian.PutUint16(p.Data[ip+14:], uint16(n>>14)+1)
		binary.BigEndian.PutUint16(p.Data[udp:], uint16(n&0x3fff)+1024)
		p.SetPayload(p.Data[p.Payload:])
		p.Time += uint64(n) * 1000
		all = append(all, p, p)
	}
	return all
}
