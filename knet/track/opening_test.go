package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

// With the page, only a ConnectSyn or ConnectSynAck opens another connection.
func TestKNet_SessionManagement_WhatOpens(t *testing.T) {
	talk := func(s *scene, n int) {
		for range n {
			s.Raw(0, s.reliably(0, said("data")))
			s.send(1, s.acks(s.next[0]-1))
		}
	}
	for _, c := range []struct {
		name  string
		play  func(s *scene)
		conns int
		first uint64 // frame that opens the last connection
	}{
		{"an old PacketID, resent for long", func(s *scene) {
			s.handshake()
			b := s.reliably(0, said("lost"))
			s.Raw(0, b)
			talk(s, 100)
			for range 20 {
				s.Wait(2000)
				s.Raw(0, b)
			}
		}, 1, 1},
		{"an old PacketID, never captured before", func(s *scene) {
			s.handshake()
			b := s.reliably(0, said("lost"))
			talk(s, 100)
			s.Wait(8000)
			s.Raw(0, b)
		}, 1, 1},
		{"ConnectSyn with another PacketID, unanswered", func(s *scene) {
			s.send(0, knet.Control(knet.ConnectSyn, []byte("me")))
			s.Wait(2000)
			s.send(0, knet.Control(knet.ConnectSyn, []byte("me")))
			s.send(1, knet.Control(knet.ConnectSynAck, nil))
		}, 1, 1},
		{"the very same ConnectSyn, seconds later", func(s *scene) {
			s.handshake()
			talk(s, 3)
			s.Wait(6000)
			s.next = [2]uint32{1, 1}
			s.handshake()
		}, 2, 10},
		{"a network copy of the ConnectSyn", func(s *scene) {
			s.send(0, knet.Control(knet.ConnectSyn, []byte("me")))
			s.send(1, knet.Control(knet.ConnectSynAck, nil))
			s.Raw(0, s.reliably(0, knet.Control(knet.ConnectAck, nil)))
			talk(s, 3)
			s.Wait(200)
			s.Copy(s.Sent[0])
		}, 1, 1},
		{"ConnectSynAck alone", func(s *scene) {
			s.handshake()
			talk(s, 3)
			s.Wait(6000)
			s.next = [2]uint32{1, 1}
			s.lose(0, knet.Control(knet.ConnectSyn, []byte("me")))
			s.send(1, knet.Control(knet.ConnectSynAck, nil))
		}, 2, 10},
	} {
		s := newScene(t, "spec")
		c.play(s)
		conns := s.End()
		if last := conns[len(conns)-1]; len(conns) != c.conns || last.FirstFrame != c.first {
			t.Errorf("%s: %d connections, the last from frame %d; %s", c.name, len(conns), last.FirstFrame, s.Groups())
		}
	}
}

// Two datagrams of a refusal suffice to recognise the page.
func TestKNet_SessionManagement_RefusalIsRecognised(t *testing.T) {
	for _, answer := range []knet.Kind{knet.DisconnectAck, knet.ConnectSynAck} {
		s := newScene(t, "")
		s.dialect = knet.Spec
		s.send(0, knet.Control(knet.ConnectSyn, []byte("me")))
		s.send(1, knet.Control(answer, nil))
		if conns := s.End(); len(conns) != 1 || answer == knet.DisconnectAck && conns[0].State != session.Refused || conns[0].DetectedBy != session.ByHandshake {
			t.Errorf("%v: %v", answer, conns)
		}
	}
}

// Connections without a reliable message are recognised in their middle by
// PacketAcks of what was just sent, and their dialect is told by PacketIDs that
// count on from 63 to 64. What is recognised late is given no opening.
func TestReference_UnreliableOnly(t *testing.T) {
	s := newScene(t, "")
	s.next = [2]uint32{40, 41}
	for i := range 40 {
		s.send(0, said(fmt.Sprint(i)))
		s.send(1, said(fmt.Sprint(-i)))
		if i%10 == 9 {
			ids := make([]uint32, 8)
			for k := range ids {
				ids[k] = s.next[0] - 8 + uint32(k)
			}
			s.send(1, s.acks(ids...))
		}
	}
	c := s.One()
	if c.Dialect != "reference" || c.FirstFrame != 1 || c.Complete || c.Roles != [2]string{} || c.State != session.StateUnknown && c.State != session.Established {
		t.Errorf("%q from %d, complete %v, %v", c.Dialect, c.FirstFrame, c.Complete, c.Roles)
	}
}

// A pair that was given up as plain UDP before it was recognised has no connect
// datagram any more: the probe's first datagram is gone.
func TestReference_LateLock(t *testing.T) {
	s := newScene(t, "")
	s.Raw(0, []byte("hello, let me in")) // content of the application
	for i := range 200 {
		s.send(dissect.Dir(i)%2, said(fmt.Sprint(i)))
		s.send(dissect.Dir(i)%2, said(fmt.Sprint(i)))
	}
	for range 4 {
		ids := make([]uint32, 8)
		for k := range ids {
			ids[k] = s.next[0] - 8 + uint32(k)
		}
		s.send(1, s.acks(ids...))
		for range 8 {
			s.send(0, said("x"))
		}
	}
	c := s.One()
	if c.FirstFrame == 1 || c.Complete || c.DetectedBy == session.ByHandshake || c.Roles != [2]string{} {
		t.Errorf("from %d, complete %v, %v, %v", c.FirstFrame, c.Complete, c.DetectedBy, c.Roles)
	}
	for _, fr := range s.Frames {
		if fr.Type == "CONNECT" {
			t.Errorf("frame %d is a connect datagram", fr.Frame)
		}
	}
}
