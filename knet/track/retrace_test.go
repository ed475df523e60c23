package track_test

import (
	"fmt"
	"testing"
)

// A side whose PacketIDs step back and come again with other contents sends nothing again:
// its messages are new, and each PacketID is one too many.
func TestKNet_InOrder_SeriesStepsBack(t *testing.T) {
	for _, dialect := range []string{"spec", "reference"} {
		s := newScene(t, dialect)
		n := 0
		say := func() {
			n++
			if text := fmt.Sprint("message ", n); dialect == "spec" {
				s.Raw(0, s.reliably(0, said(text)))
			} else {
				s.send(0, s.told(0, text))
			}
			s.send(1, s.acks(s.next[0]-1))
		}
		if dialect == "spec" {
			s.handshake()
		} else {
			s.meet()
		}
		for range 60 {
			say()
		}
		s.next[0] -= 30
		for range 60 {
			say()
		}
		c, broken := s.One(), 0
		for _, f := range s.Accusations() {
			if f.Rule.ID == "KN-DG-ID-UNIQUE" {
				broken++
			} else {
				t.Errorf("%s: %s frame %d: %s", dialect, f.Rule.ID, f.Frame, f.Message)
			}
		}
		if broken < 28 {
			t.Errorf("%s: %d PacketIDs used twice", dialect, broken)
		}
		if d := &c.Dir[0]; d.Messages != 120 || d.Retries != 0 || d.Duplicates != 0 || d.Missing() != 0 || d.OutOfOrder != 0 {
			t.Errorf("%s: %d messages, %d retries, %d copies, %d missing", dialect, d.Messages, d.Retries, d.Duplicates, d.Missing())
		}
	}
}

// What is sent again of the second contents is a retry of these; a copy of the first
// contents that comes late is a copy.
func TestKNet_InOrder_OtherContentSentAgain(t *testing.T) {
	s := newScene(t, "spec")
	s.handshake()
	id := s.next[0]
	first := s.reliably(0, said("first"))
	s.Raw(0, first)
	s.Wait(100)
	s.next[0] = id
	second := s.reliably(0, said("second"))
	s.Raw(0, second)
	s.Wait(2000)
	s.Raw(0, second)
	c := s.One()
	wantCounts(t, "client", &c.Dir[0], "frames 5 data 3 acks 0 retries 1+0 dup 0 ooo 0 gaps 0 missing 0 messages 2/11/0 pings 0 rtt 0")
	if s.Last().RetryOf != 5 {
		t.Errorf("a retry of %d", s.Last().RetryOf)
	}
}
