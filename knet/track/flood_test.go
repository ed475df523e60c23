package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/knet"
)

// The connect datagram, two PingRequests and both replies are the whole session of a
// client that is turned away, or of one of a flood: they suffice to recognise the library.
func TestReference_ConnectFloodIsRecognised(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want int
	}{
		{"both replies in one datagram", func(s *scene) {
			s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1), knet.Ping(knet.PingReply, knet.IDsFromOne, 2))
		}, 1},
		{"each reply in its own", func(s *scene) {
			s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1))
			s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 2))
		}, 1},
		{"one reply alone", func(s *scene) { s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1)) }, 0},
		{"replies to other requests", func(s *scene) {
			s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 3), knet.Ping(knet.PingReply, knet.IDsFromOne, 4))
		}, 0},
	} {
		s := newScene(t, "")
		s.Raw(0, make([]byte, 8))
		s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1), knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
		c.play(s)
		s.send(0, knet.Control(knet.Disconnect, nil))
		s.send(1, knet.Control(knet.DisconnectAck, nil))
		if conns := s.End(); len(conns) != c.want {
			t.Errorf("%s: %d connections, want %d", c.name, len(conns), c.want)
		} else if c.want == 1 && (!conns[0].Complete || conns[0].Roles[0] != "client") {
			t.Errorf("%s: complete %v, %v", c.name, conns[0].Complete, conns[0].Roles)
		}
	}
}
