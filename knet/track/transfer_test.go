package track

import (
	"testing"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestLooseFragmentsAreCountedOnce: fragments that wait for their start are bounded in number.
// Those that a start takes over wait no longer: else transfers are given up as incomplete after
// enough of them, though nothing is missing.
func TestLooseFragmentsAreCountedOnce(t *testing.T) {
	s := transfers{conn: &conn{wants: &session.Config{}}, table: new([256][3]*transfer)}
	l := newTransfer(&fragment{index: 3, packet: 5})
	for i := 3; i < 6; i++ {
		s.store(l, &fragment{index: i, packet: seq.Num(2 + i), whole: true, size: 1})
	}
	to := newTransfer(&fragment{index: 0, packet: 4, count: 9})
	s.take(to, l, 0)
	if got := len(to.ahead) + len(l.ahead); s.apart != got || got != 3 {
		t.Errorf("%d fragments wait, counted as %d", got, s.apart)
	}
}

// TestTransfersAreBounded: what waits for a fragment that is missing is bounded in number and
// bytes, of all transfers of a side together; what there is no room for makes its message
// incomplete.
func TestTransfersAreBounded(t *testing.T) {
	s := transfers{conn: &conn{wants: &session.Config{Messages: session.CollectPayload}}, table: new([256][3]*transfer)}
	var of [2]*transfer
	for i := range of {
		of[i] = newTransfer(&fragment{index: 1, packet: 5})
	}
	for i := range MaxFragmentsAhead + 2 {
		if of[0].broken || of[1].broken {
			if i < MaxFragmentsAhead {
				t.Fatalf("no room for fragment %d", i)
			}
		}
		s.store(of[i%2], &fragment{index: 1 + i/2, packet: seq.Num(5 + i), whole: true, size: 1, body: []byte{1}})
	}
	if s.apart != MaxFragmentsAhead || s.held != MaxFragmentsAhead || !of[0].broken || !of[1].broken {
		t.Errorf("%d fragments of %d bytes wait; incomplete %v, %v", s.apart, s.held, of[0].broken, of[1].broken)
	}
	far := newTransfer(&fragment{index: 1, packet: 5})
	s = transfers{conn: s.conn, table: s.table}
	if s.store(far, &fragment{index: MaxFragmentsAhead, packet: 9, whole: true, size: 1}); !far.broken || s.apart != 0 {
		t.Errorf("a fragment far ahead waits: %d", s.apart)
	}
	s.held = MaxTransferBytes - 3
	full := newTransfer(&fragment{index: 1, packet: 5})
	if b := s.keep(full, nil, []byte("abc")); len(b) != 3 || full.broken {
		t.Errorf("%d of the last 3 bytes are kept", len(b))
	}
	if b := s.keep(full, nil, []byte("d")); len(b) != 0 || !full.broken || s.held != MaxTransferBytes {
		t.Errorf("%d bytes beyond the bound are kept", len(b))
	}
}
