package livetest

import (
	"bufio"
	"context"
	"encoding/json"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// A sight is a line that was read: of which datagram, and how long after it.
type sight struct {
	src  netip.AddrPort
	late time.Duration
}

// otherPort is the port of datagrams that are of no protocol.
const otherPort = 42999

// TestLatency reads what decode prints while datagrams of a connection, and others
// that belong to none, are captured.
func TestLatency(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		read func(line string) (sight, bool)
	}{
		{"ndjson", []string{"--format", "ndjson"}, sightOfRecord},
		{"text", []string{"-t", "e"}, sightOfLine},
	} {
		t.Run(c.name, func(t *testing.T) {
			pair := place(t)
			j := prepare(t, append([]string{"decode", "-i", "lo"}, c.args...)...)
			out := j.pipe()
			seen := make(chan []sight)
			var shown atomic.Int64
			j.in(pair[0]).capturing()
			go func() { seen <- sights(bufio.NewScanner(out), c.read, &shown) }()
			sent := chatter(t, pair)
			awaitSights(&shown, sent)
			j.stop()
			j.cmd.Stdout.(interface{ Close() error }).Close()
			checkLatency(t, <-seen, sent)
		})
	}
}

// chatter holds a connection beside datagrams of no protocol and gives how many of each
// were sent.
func chatter(t *testing.T, pair [2]*netns.Namespace) (sent [2]int) {
	talk := chat("hazel", 7)
	between(&talk, pair, "lo")
	done := make(chan error)
	const others = 100
	go func() {
		_, err := wire.Flood(context.Background(), wire.FloodConfig{From: netip.AddrPortFrom(local, otherPort),
			To: netip.AddrPortFrom(local, 9), Packets: others, PerSecond: 50, Size: 64, Dial: pair[0].Dial})
		done <- err
	}()
	truth := playAll(t, talk)[0]
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return [2]int{truth.Datagrams, others}
}

// sights reads lines until they end; shown counts them for who waits.
func sights(lines *bufio.Scanner, read func(string) (sight, bool), shown *atomic.Int64) (all []sight) {
	for lines.Scan() {
		now := time.Now()
		s, ok := read(lines.Text())
		if !ok {
			continue
		}
		s.late += time.Duration(now.UnixNano())
		all = append(all, s)
		shown.Add(1)
	}
	return all
}

// sightOfRecord reads a record; late is the time of the packet, negated.
func sightOfRecord(line string) (s sight, ok bool) {
	var f frame
	if json.Unmarshal([]byte(line), &f) != nil {
		return s, false
	}
	at, err := time.Parse(time.RFC3339Nano, f.Time)
	if err != nil {
		return s, false
	}
	s.src, err = netip.ParseAddrPort(f.Src)
	s.late = -time.Duration(at.UnixNano())
	return s, err == nil
}

// sightOfLine reads a line of text, which begins with number, time and source.
func sightOfLine(line string) (s sight, ok bool) {
	f := strings.Fields(line)
	if len(f) < 3 {
		return s, false
	}
	whole, part, _ := strings.Cut(f[1], ".")
	seconds, err1 := strconv.ParseInt(whole, 10, 64)
	nanos, err2 := strconv.ParseInt((part + "000000000")[:9], 10, 64)
	s.src, _ = netip.ParseAddrPort(f[2])
	s.late = -time.Duration(seconds*1e9 + nanos)
	return s, err1 == nil && err2 == nil && s.src.IsValid()
}

// checkLatency checks that every datagram was shown, and how late.
// awaitSights waits until all that was sent was shown, as it is before anybody presses
// Ctrl-C; what is missing in the end is told by checkLatency.
func awaitSights(shown *atomic.Int64, sent [2]int) {
	for until := time.Now().Add(10 * time.Second); int(shown.Load()) < sent[0]+sent[1] && time.Now().Before(until); {
		time.Sleep(10 * time.Millisecond)
	}
}

func checkLatency(t *testing.T, all []sight, sent [2]int) {
	t.Helper()
	var late [2][]time.Duration
	for _, s := range all {
		of := 0
		if s.src.Port() == otherPort {
			of = 1
		}
		late[of] = append(late[of], s.late)
	}
	for of, name := range []string{"a conversation", "strangers"} {
		if len(late[of]) != sent[of] {
			t.Errorf("%d datagrams of %s were shown, %d sent", len(late[of]), name, sent[of])
		}
		if len(late[of]) == 0 {
			continue
		}
		slices.Sort(late[of])
		n := len(late[of])
		median := late[of][n/2]
		t.Logf("%s: %d lines, after %v in the median, 95%% within %v, at most %v", name, n, median, late[of][n*95/100], late[of][n-1])
		if median > 100*time.Millisecond || median < 0 {
			t.Errorf("%s: the median is %v, want less than 100 ms", name, median)
		}
	}
}
