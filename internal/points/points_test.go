package points

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// A sent is one datagram of a session that was played by hand.
type sent struct {
	at      time.Duration
	payload string
	back    bool
	id      uint16
}

// A view is what one capture holds of a session.
type view struct {
	delay, back time.Duration // from the client to here, and from the server
	offset      time.Duration // of the clock
	hops, hopsB int           // routers passed from the client, and from the server
	client      byte          // last byte of the client's address
	misses      func(i int) bool
	mirror      bool // each packet comes twice
}

// dialogue is n datagrams, one way and back by turns.
func dialogue(n int) (all []sent) {
	for i := range n {
		all = append(all, sent{time.Duration(i) * 10 * time.Millisecond, fmt.Sprintf("datagram %d", i), i%2 == 1, uint16(i + 1)})
	}
	return all
}

// client and server are the two ends of a path of 20 ms.
func client() view { return view{back: 20 * time.Millisecond, hopsB: 3, client: 1} }
func server() view { return view{delay: 20 * time.Millisecond, hops: 3, client: 1} }

// packet makes a packet of IPv4.
func packet(s sent, v view) []byte {
	b := make([]byte, 28, 28+len(s.payload))
	b[0], b[8], b[9] = 0x45, 64-byte(v.hops), 17
	from, to, src, dst := []byte{10, 0, 0, v.client}, []byte{10, 0, 1, 1}, uint16(5000), uint16(2302)
	if s.back {
		from, to, src, dst = to, from, dst, src
		b[8] = 64 - byte(v.hopsB)
	}
	binary.BigEndian.PutUint16(b[2:], uint16(28+len(s.payload)))
	binary.BigEndian.PutUint16(b[4:], s.id)
	copy(b[12:], from)
	copy(b[16:], to)
	binary.BigEndian.PutUint16(b[20:], src)
	binary.BigEndian.PutUint16(b[22:], dst)
	binary.BigEndian.PutUint16(b[24:], uint16(8+len(s.payload)))
	return append(b, s.payload...)
}

// write writes what a capture holds of a session.
func (v view) write(t *testing.T, name string, all []sent) string {
	t.Helper()
	var list []capture.Record
	for i, s := range all {
		if v.misses != nil && v.misses(i) {
			continue
		}
		delay := v.delay
		if s.back {
			delay = v.back
		}
		data := packet(s, v)
		at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC).Add(s.at + delay + v.offset).UnixNano()
		list = append(list, capture.Record{Data: data, WireLen: len(data), Time: at, HasTime: true, Link: capture.LinkRaw})
		if v.mirror {
			list = append(list, list[len(list)-1])
			list[len(list)-1].Time += 1000
		}
	}
	slices.SortStableFunc(list, func(a, b capture.Record) int { return int(a.Time - b.Time) })
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := capture.NewWriter(f, capture.WriterOptions{Format: "pcap", Nanoseconds: true, Interfaces: []capture.Interface{{Link: capture.LinkRaw}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if err := w.Write(&list[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return path
}

func recogniseTwo(t *testing.T, a, b string) *Pair {
	t.Helper()
	pairs := Recognise([]string{a, b}, capture.Options{})
	if len(pairs) > 1 {
		t.Fatalf("two files make %d pairs", len(pairs))
	}
	if len(pairs) == 0 {
		return nil
	}
	return pairs[0]
}

// TestTwoPointsAreRecognised: the same datagrams with a delay, another TTL or another clock.
func TestTwoPointsAreRecognised(t *testing.T) {
	all := dialogue(200)
	for name, change := range map[string]func(v *view){
		"delay and TTL":        func(*view) {},
		"delay alone":          func(v *view) { v.hops, v.hopsB = 0, 0 },
		"a clock behind":       func(v *view) { v.offset = -700 * time.Millisecond },
		"a clock before":       func(v *view) { v.offset = 900 * time.Millisecond },
		"a third lost":         func(v *view) { v.misses = func(i int) bool { return i%3 == 1 } },
		"one direction lost":   func(v *view) { v.misses = func(i int) bool { return i > 20 && i%2 == 0 } },
		"a mirror port copies": func(v *view) { v.mirror = true },
	} {
		t.Run(name, func(t *testing.T) {
			v := server()
			change(&v)
			c := client()
			if name == "delay alone" {
				c.hopsB = 0
			}
			p := recogniseTwo(t, c.write(t, "client.pcap", all), v.write(t, "server.pcap", all))
			if p == nil {
				t.Fatal("two points are not recognised")
			}
			if p.Twice || !strings.HasSuffix(p.Sentence(), "contain the same session, captured at two points: each is analysed separately") {
				t.Error(p.Sentence())
			}
		})
	}
}

// TestPartsAreNotTwoPoints: what is no second point is merged as ever.
func TestPartsAreNotTwoPoints(t *testing.T) {
	all := dialogue(200)
	other := client()
	other.client = 2
	keepalives := slices.Clone(all)
	for i := range keepalives {
		keepalives[i].payload = "keepalive"
	}
	late := server()
	late.offset = time.Hour
	for name, files := range map[string][2]string{
		"rotated files":                {client().write(t, "1.pcap", all[:100]), client().write(t, "2.pcap", all[100:])},
		"two clients of one server":    {client().write(t, "1.pcap", all), other.write(t, "2.pcap", all)},
		"times that do not meet":       {client().write(t, "1.pcap", all), late.write(t, "2.pcap", all)},
		"payloads that repeat":         {client().write(t, "1.pcap", keepalives), server().write(t, "2.pcap", keepalives)},
		"three datagrams are no proof": {client().write(t, "1.pcap", all[:3]), server().write(t, "2.pcap", all[:3])},
		"a file without packets":       {client().write(t, "1.pcap", nil), server().write(t, "2.pcap", all)},
	} {
		if p := recogniseTwo(t, files[0], files[1]); p != nil {
			t.Errorf("%s: %s", name, p.Sentence())
		}
	}
}

// TestOneFileTwice: it is no second point, and is not merged with itself either.
func TestOneFileTwice(t *testing.T) {
	path := client().write(t, "1.pcap", dialogue(100))
	p := recogniseTwo(t, path, path)
	if p == nil || !p.Twice || !strings.Contains(p.Sentence(), "captured twice") {
		t.Fatalf("one file twice: %v", p)
	}
}
