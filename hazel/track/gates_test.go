package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
)

// TestHazel_Gates_Damaged: a datagram with a wrong checksum, where others of its side are right, never came to its
// receiver: it is counted and has no number, so that the one sent again is the first.
func TestHazel_Gates_Damaged(t *testing.T) {
	s := newScene(t, "", false)
	s.meet(current, current)
	for i, id := range []uint16{1, 2, 999, 2} {
		f := current.reliable(id, fmt.Sprint("text", i))
		s.Add(0, dissect.Datagram{Payload: f.Append(nil), IPID: uint16(3 + i), Sum: uint64(1 + i), BadChecksum: i == 1 || i == 2})
	}
	a := &s.One().Dir[0]
	if got, want := fmt.Sprint(a.Frames, a.DataFrames, a.Gaps, a.Retries, " ", s.texts(0)), "5 4 0 0 text0 text3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHazel_Gates_NoIDOfThePeer: an acknowledgement of a side whose peer was not captured yet acknowledges nothing, but its
// length tells the release.
func TestHazel_Gates_NoIDOfThePeer(t *testing.T) {
	s := newScene(t, "", false)
	s.send(1, current.acks(5))
	s.send(1, none("x"))
	c := s.One()
	if got := fmt.Sprintf("%q %s", sessiontest.WordNames(s.Frames[0].Words), c.Dialect); got != `"" current` {
		t.Errorf("words and release: %s", got)
	}
}

// TestHazel_Gates_JunkIDs: a receiver reads an ID out of a datagram that is too short for one, and acknowledges it. That
// acknowledges nothing: no user is told that the capture missed a packet.
func TestHazel_Gates_JunkIDs(t *testing.T) {
	for _, c := range []struct {
		name    string
		payload []byte
		acked   uint16
		want    string // words of the acknowledgement
	}{
		{"two bytes", []byte{1, 1}, 0x100, ""},
		{"an ID that stands nowhere", []byte{1, 1}, 0x101, "ack-of-uncaptured"},
	} {
		s := newScene(t, "", false)
		s.meet(current, current)
		s.Raw(0, c.payload)
		s.send(1, current.acks(c.acked))
		if got := s.Words(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestHazel_Gates_LeftOutID: a side that goes from 65,535 to 1 and lost nothing before leaves out 0. Where one comes all
// the same it is delivered, and no number; of a side that can't be SkeldJS the 0 is missing.
func TestHazel_Gates_LeftOutID(t *testing.T) {
	for _, c := range []struct {
		name string
		acks release // of the peer
		late bool    // the 0 comes in the end
		want string  // gaps, missing, out of order, retries, messages
	}{
		{"left out", current, false, "0 0 0 0 18"},
		{"left out, and yet it comes", current, true, "0 0 0 0 19"},
		{"short acknowledgements are older than SkeldJS", ack3, false, "1 1 0 0 18"},
	} {
		s := newScene(t, "", false)
		say := func(id uint16) {
			s.send(0, current.reliable(id, fmt.Sprint(id)))
			s.send(1, c.acks.acks(id))
		}
		for i := range uint16(16) {
			say(65520 + i)
		}
		say(1)
		say(2)
		if c.late {
			say(0)
		}
		a := &s.One().Dir[0]
		if got := fmt.Sprint(a.Gaps, a.Missing(), a.OutOfOrder, a.Retries, a.Messages); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestHazel_Gates_History: acknowledgements of 4 bytes alone have a history. The fourth byte of a longer one, of which the
// capture has no more, acknowledges nothing.
func TestHazel_Gates_History(t *testing.T) {
	for length, acked := range map[int]int{4: 2, 5: 1} {
		s := newScene(t, "", false)
		s.meet(current, current)
		s.send(0, current.reliable(1, "x"))
		s.send(0, current.reliable(2, "x"))
		s.Cut(1, []byte{10, 0, 2, 0xff, 0}[:length], length-4)
		if got := len(s.Last().Acks); got != acked {
			t.Errorf("%d bytes: %d frames are acknowledged, want %d", length, got, acked)
		}
	}
}

// TestHazel_Gates_FirstBytes: whether a connection is one of records shows in the first datagram of which the capture holds
// anything. A connection that was taken for a plain one would have no numbers.
func TestHazel_Gates_FirstBytes(t *testing.T) {
	record := func(n uint64) []byte {
		return hiddenFlight.record(hazel.RecordApplicationData, 1, n, make([]byte, 40))
	}
	for _, kept := range []int{0, len(record(1))} {
		s := newScene(t, "", false)
		s.Cut(0, record(1), len(record(1))-kept)
		s.Raw(0, record(2))
		s.Raw(0, record(5))
		if c := s.One(); c.Dialect != "dtls" || c.Dir[0].Gaps != 1 {
			t.Errorf("%d bytes of the first: %q with %d gaps, want dtls with one", kept, c.Dialect, c.Dir[0].Gaps)
		}
	}
}
