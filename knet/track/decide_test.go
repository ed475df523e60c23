package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"github.com/dpdissect/dpdissect/knet"
)

// What an application connects with may be a datagram of the page by its bytes: it decides
// no dialect.
func TestReference_ConnectDatagramDecidesNothing(t *testing.T) {
	s := newScene(t, "")
	s.Raw(0, dissecttest.Unhex(t, "40 00 00 05 00 14 61 62 63 64")) // the page's PacketID 64
	s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1), knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
	s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1), knet.Ping(knet.PingReply, knet.IDsFromOne, 2))
	for i := range 10 {
		s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromOne, uint8(i+1)))
		s.send(1, knet.Ping(knet.PingReply, knet.IDsFromOne, uint8(i+1)))
		s.send(1, said(fmt.Sprint(i)))
	}
	s.send(0, knet.Control(knet.Disconnect, nil))
	s.send(1, knet.Control(knet.DisconnectAck, nil))
	s.Wait(1000)
	s.Raw(0, dissecttest.Unhex(t, "41 00 00 05 00 14 61 62 63 64"))
	c := s.End()[0]
	if c.Dialect == "spec" || c.Dir[1].Messages != 10 || c.Dir[0].KeepAlives != 10 || s.Frames[0].Type != "CONNECT" {
		t.Errorf("%q, %d messages, %d pings, first %s", c.Dialect, c.Dir[1].Messages, c.Dir[0].KeepAlives, s.Frames[0].Type)
	}
}

// An InOrder code names what the datagram lists: without that, it is no sign of the page.
func TestReference_CodesWithoutArrayDecideNothing(t *testing.T) {
	odd := dissecttest.Unhex(t, "03 00 00 02 10 01 05") // with the page a message of two bytes with code 2
	if x, y := knet.ShapeOf(odd, knet.Spec), knet.ShapeOf(odd, knet.Reference); !x.OK || x.Strict || y.OK {
		t.Fatalf("%+v, %+v", x, y)
	}
	s := newScene(t, "")
	s.meet()
	s.Raw(0, odd)
	s.next[0]++
	for i := range 10 {
		s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromOne, uint8(i+2)))
		s.send(1, knet.Ping(knet.PingReply, knet.IDsFromOne, uint8(i+2)))
		s.send(1, said(fmt.Sprint(i)))
	}
	if c := s.One(); c.Dialect == "spec" || c.Dir[1].Messages != 10 {
		t.Errorf("%q, %d messages", c.Dialect, c.Dir[1].Messages)
	}
}
