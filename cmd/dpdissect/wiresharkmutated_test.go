package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
	"github.com/dpdissect/dpdissect/internal/wireshark"
)

// mutatedCaptures is the variable that says how many mutated captures the plugin is shown:
// `make plugin`.
const mutatedCaptures = "DPDISSECT_PLUGIN"

// mutatedTogether is the number of captures that go into one file: starting tshark takes longer than showing one.
const mutatedTogether = 250

// A noted is a packet with its comment.
type noted struct {
	data, comment []byte
	cut           int // bytes that were not captured
}

// notedPackets are the packets of annotated captures, an excerpt of each.
func notedPackets(t *testing.T, most int) (all [][]noted) {
	t.Helper()
	for _, path := range captures(t) {
		blocks := blocksOf(t, annotated(t, path))
		for i := range blocks {
			if b := &blocks[i]; b.Type == ngtest.Interface && b.Order.Uint16(b.Body) != uint16(capture.LinkEthernet) {
				blocks = nil
				break
			}
		}
		var some []noted
		for _, p := range ngtest.Packets(blocks) {
			if c := p.Comments(); len(c) > 0 && len(some) < most {
				some = append(some, noted{data: p.Data, comment: []byte(c[len(c)-1])})
			}
		}
		if len(some) > 1 {
			all = append(all, some)
		}
	}
	return all
}

// A mutator makes captures that no program wrote.
type mutator struct {
	*rand.Rand
	all [][]noted
}

// capture is a piece of a capture, some of whose packets and comments are changed.
func (m *mutator) capture() (packets []noted) {
	from := m.all[m.IntN(len(m.all))]
	at := m.IntN(len(from))
	for _, p := range from[at:min(len(from), at+5+m.IntN(25))] {
		p = noted{data: bytes.Clone(p.data), comment: bytes.Clone(p.comment)}
		if m.IntN(3) > 0 {
			p.data = m.packet(p.data)
		}
		if m.IntN(12) == 0 {
			p.cut = m.IntN(len(p.data) + 1)
			p.data = p.data[:len(p.data)-p.cut]
		}
		if m.IntN(3) == 0 {
			p.comment = m.comment(p.comment)
		}
		packets = append(packets, p)
	}
	return packets
}

// other is a packet of any capture.
func (m *mutator) other() noted {
	some := m.all[m.IntN(len(m.all))]
	return some[m.IntN(len(some))]
}

// headers is about what stands in front of a payload, which is changed seldom.
const headers = 42

func (m *mutator) packet(b []byte) []byte {
	for range 1 + m.IntN(4) {
		from := headers
		if m.IntN(20) == 0 {
			from = 0
		}
		if len(b) <= from+1 {
			return b
		}
		at := from + m.IntN(len(b)-from)
		if m.IntN(2) == 0 {
			at = min(len(b)-1, from+m.IntN(12)) // where most is decided
		}
		switch m.IntN(7) {
		case 0:
			b[at] ^= 1 << m.IntN(8)
		case 1:
			b[at] = byte(m.Uint32())
		case 2:
			b[at] = []byte{0, 0xff, 0x7f, 0x80, 0x3f, 0x88, 0x01}[m.IntN(7)]
		case 3:
			b = b[:at]
		case 4: // shorter or longer, with lengths that say so
			b = m.resize(b, m.IntN(1400))
		case 5:
			for i := at; i < len(b); i++ {
				b[i] = byte(m.Uint32())
			}
		case 6: // the payload of another
			if p := m.other().data; len(p) > headers {
				b = m.resize(append(b[:min(headers, len(b)):min(headers, len(b))], p[headers:]...), len(p)-headers)
			}
		}
	}
	return b
}

// resize gives a payload another length, also by the headers of IP version 4 and UDP.
func (m *mutator) resize(b []byte, size int) []byte {
	for len(b) < headers+size {
		b = append(b, byte(m.Uint32()))
	}
	b = b[:headers+size]
	if b[14] == 0x45 {
		b[16], b[17] = byte((28+size)>>8), byte(28+size)
		b[38], b[39] = byte((8+size)>>8), byte(8+size)
	}
	return b
}

// commentPieces are what comments are made of, and what they are not.
var commentPieces = []string{
	" protocol=dp8", " protocol=dp4", " protocol=knet", " protocol=hazel", " protocol=dplhp", " protocol=dplnat", " protocol=dpl4cs", " protocol=hazel-lan", " protocol=",
	" type=CONNECT", " type=CONNECTED_SIGNED", " type=\\x", " type=", " layout.version=1.4", " layout.version=9.99999999999999999999", " layout.version=.",
	" layout.signing=full", " layout.signing=none", " layout.signing=\\x00", " layout.dialect=spec", " layout.dialect=reference", " layout.dialect=dtls", " layout.dialect=0.1",
	" layout.dialect=%s%d", " layout.ids=0", " layout.ids=2", " layout.ack_bits=word-first", " layout.ack_bits=x",
	" length=0", " length=1", " length=4294967295", " length=-1", " length=1e9", " frame=0", " frame=7", " frame=4294967296", " here.acks=1,2,3", " here.retry_of=0",
	" acks=,,,", " acks=99999999999,1", " retry_of=1", " acked_in=x", " ack_rtt_ms=1e308", " ack_rtt_ms=.", " ack_rtt_ms=5.5", " ack_rtt_ms=99999999999999999999999",
	" note.rule=A,B,C note.severity=error", " note.severity=fatal note.rule=%1", " analysis=malformed,malformed,retry,nothing,ack", " error.offset=4294967295 error.field=%a", " error.offset=x",
	"\n", "\ndpd1 ", "\ndpd1", "\n\n\n", "=", " =", " conn=", " dir=c", "\x00", "\xff\xfe", "\\x0", "\\xgg", "%", "[", "é", " dpd1 ",
}

func (m *mutator) comment(c []byte) []byte {
	for range 1 + m.IntN(4) {
		at := 0
		if len(c) > 5 {
			at = 5 + m.IntN(len(c)-5)
		}
		switch m.IntN(6) {
		case 0:
			c = []byte(m.other().comment)
		case 1:
			if at < len(c) {
				c[at] = byte(m.Uint32())
			}
		case 2, 3:
			piece := commentPieces[m.IntN(len(commentPieces))]
			if line := bytes.IndexByte(c, '\n'); piece[0] == ' ' && line >= 0 { // keys at the end of the line: the last one counts
				at = line
			}
			c = append(c[:at:at], append([]byte(piece), c[at:]...)...)
		case 4:
			c = append(c[:at:at], c[min(len(c), at+m.IntN(20)):]...)
		case 5:
			c = append(c[:at:at], append(bytes.Repeat([]byte(commentPieces[m.IntN(len(commentPieces))]), m.IntN(30)), c[at:]...)...)
		}
	}
	return c[:min(len(c), 60000)]
}

// file is so many captures one after the other.
func (m *mutator) file(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := capture.NewWriter(&b, capture.WriterOptions{Format: "pcapng", Interfaces: []capture.Interface{{Link: capture.LinkEthernet}}})
	if err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	for range n {
		for _, p := range m.capture() {
			at += 1e6
			if err := w.Write(&capture.Record{Time: at, HasTime: true, Link: capture.LinkEthernet, Data: p.data, WireLen: len(p.data) + p.cut, Comments: []string{string(p.comment)}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWiresharkMutatedCaptures shows tshark captures whose packets and comments were changed, with
// all fields, in one pass and in two: the plugin never fails. A failure that is put into it is
// seen.
func TestWiresharkMutatedCaptures(t *testing.T) {
	t.Parallel()
	s := newShark(t)
	n := 2 * mutatedTogether
	if v := os.Getenv(mutatedCaptures); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	all := notedPackets(t, 300)
	path := filepath.Join(s.home, "mutated.pcapng")
	for seed := range uint64((n + mutatedTogether - 1) / mutatedTogether) {
		m := &mutator{rand.New(rand.NewPCG(seed, 31)), all}
		if err := os.WriteFile(path, m.file(t, mutatedTogether), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"-r", path, "-V", "-Y", "_ws.lua.error"}
		if seed%2 == 1 {
			args = append(args, "-2")
		}
		if errs := s.out(t, args...); len(errs) > 0 {
			t.Fatalf("seed %d: %s", seed, errs)
		}
	}
	planted := bytes.Replace(wireshark.Plugin("test"), []byte("local function marksOf(keys)"), []byte("local function marksOf(keys) if keys.type == 'DFRAME' then error('planted') end"), 1)
	if err := os.WriteFile(s.lua, planted, 0o600); err != nil {
		t.Fatal(err)
	}
	if errs := s.out(t, "-r", path, "-V", "-Y", "_ws.lua.error"); !strings.Contains(string(errs), "planted") {
		t.Error(fmt.Sprint("an error of the plugin is not seen: nothing is tested: ", string(errs)))
	}
}
