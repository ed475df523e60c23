package track

import (
	"crypto/sha256"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// application takes an application message, or a fragment of one, that was not
// captured before. num is the PacketID that carries it, place which message of
// the datagram it is.
func (c *conn) application(s *side, num seq.Num, place int, m *knet.Message) {
	spec := c.Datagram.Dialect == knet.Spec
	number, numbered := num, !spec && m.IsReliable()
	if numbered {
		number = s.numbers.Peek(m.Number)
	}
	ordered := m.Bits&knet.MessageInOrder != 0
	if spec {
		ordered = m.Code() != 0
	}
	reliable := numbered || spec && c.Datagram.Reliable
	if m.IsFragment() {
		f := fragment{id: m.TransferID, start: number, numbered: numbered, packet: num, place: place,
			whole: m.Whole, ordered: ordered, reliable: reliable, body: m.Body, size: len(m.Body), from: m}
		if m.IsStart() {
			f.count = int(m.FragmentCount.Value)
		} else {
			f.index = int(m.FragmentNumber.Value)
			f.start -= seq.Num(f.index)
		}
		s.transfers.add(&f)
		return
	}
	if c.wants.Messages == session.CountMessages {
		s.out.CountMessage(m.Whole, len(m.Body))
		return
	}
	fr := c.Frame
	msg := session.Message{FirstFrame: fr.Frame, LastFrame: fr.Frame, Time: fr.Time, HasTime: fr.HasTime, Frames: 1,
		Number: number, Unnumbered: !spec && !numbered, Reliable: reliable, Ordered: ordered, Complete: m.Whole, Size: len(m.Body),
		SHA256: sha256.Sum256(m.Body), Payload: m.Body}
	c.deliver(s.dir, &msg, num, place, c.dependencies(m))
}

// deliver hands a message on, at once or, with Spec, when what it depends on was.
func (c *conn) deliver(dir dissect.Dir, m *session.Message, packet seq.Num, place int, depends []dependency) {
	m.Dir = dir
	if len(depends) > 0 && m.Complete && c.wants.Messages != session.CountMessages && c.side[dir].waiting.hold(m, packet, place, depends) {
		return
	}
	m.At = c.now
	c.c.Deliver(m)
}

// settle delivers what is still there of a side.
func (s *side) settle(c *conn, dir dissect.Dir) {
	s.transfers.close()
	s.waiting.flush()
	c.settlePings(dir)
	s.resends = nil
}

// dependencies gives what a message of the datagram at hand depends on.
func (c *conn) dependencies(m *knet.Message) []dependency {
	if c.Datagram.Dialect != knet.Spec || m == nil || m.Code() == 0 || c.wants.Messages == session.CountMessages {
		return nil
	}
	var list []dependency
	ids := &c.side[c.c.DirOf(c.Frame.Datagram)].ids
	for i := 0; ; i++ {
		x, ok := m.DependsOn(c.Datagram, i)
		if !ok {
			return list
		}
		if x != nil {
			list = append(list, dependency{ids.Peek(x.PacketID(c.Datagram.PacketID)), int(x.Index)})
		}
	}
}
