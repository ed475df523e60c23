package track

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A forgetter counts how often it was told to forget each side.
type forgetter struct {
	Judge
	sides [2]int
}

func (f *forgetter) Forget(dir dissect.Dir) { f.sides[dir]++ }

// TestKNet_DialectDecidedLate: while the dialect is open, datagrams are read by one that is assumed.
// What only one dialect explains settles it; when it is the other one, all PacketIDs were others:
// nothing that was held against a side before counts any more (gate K17).
func TestKNet_DialectDecidedLate(t *testing.T) {
	long := knet.VLE{Value: 100, Size: 2} // nobody writes it so
	app := func(id knet.VLE, bits uint16) knet.Message {
		return knet.Message{Bits: bits, ID: id, Body: make([]byte, 8)}
	}
	one := func(d knet.Datagram, messages ...knet.Message) func(int) []byte {
		d.Messages = messages
		return func(int) []byte { return d.Append(nil) }
	}
	for _, c := range []struct {
		name    string
		want    knet.Dialect
		after   int // datagrams
		payload func(i int) []byte
	}{
		{"the page's handshake", knet.Spec, 1, one(knet.Datagram{Dialect: knet.Spec}, knet.Control(knet.ConnectSyn, []byte("user")))},
		{"only the page reads it", knet.Spec, 1, one(knet.Datagram{Dialect: knet.Spec, PacketID: 100, Reliable: true}, app(knet.Num(100), 0))},
		{"only the library reads it", knet.Reference, 1, one(knet.Datagram{Dialect: knet.Reference, Reliable: true}, app(knet.Num(100), knet.MessageReliable))},
		{"only the page reads it, and no sender makes it so", knet.Spec, enoughLoose, one(knet.Datagram{Dialect: knet.Spec, PacketID: 100, Reliable: true}, app(long, 0))},
		{"only the library reads it, and no sender makes it so", knet.Reference, enoughLoose, one(knet.Datagram{Dialect: knet.Reference, Reliable: true}, app(long, knet.MessageReliable))},
		{"only senders of the page make it so", knet.Spec, enoughMade, one(knet.Datagram{Dialect: knet.Spec}, knet.Message{Bits: knet.Fragment, TransferID: 1, FragmentNumber: knet.Num(1), Body: make([]byte, 8)})},
		{"only senders of the library make it so", knet.Reference, enoughMade, one(knet.Datagram{Dialect: knet.Reference, InOrder: true}, app(knet.Num(100), knet.MessageInOrder))},
		{"PacketIDs of the library count on", knet.Reference, 67, func(i int) []byte {
			d := knet.Datagram{Dialect: knet.Reference, PacketID: uint32(62 + i), Messages: []knet.Message{app(knet.Num(100), 0)}}
			return d.Append(nil)
		}},
	} {
		for _, assumed := range []knet.Dialect{knet.Reference, knet.Spec} {
			judge := &forgetter{}
			c1 := &conn{c: &session.Conn{Dir: new([2]seq.Direction)}, judge: judge, client: -1}
			p := &pair{conns: []*conn{c1}, params: knet.Params{Dialect: assumed}}
			c1.pair, c1.side[0].habits, c1.side[1].habits = p, habitually, habitually
			for i := range c.after + 1 {
				if p.decided != (i >= c.after) {
					t.Errorf("%s: after %d datagrams decided %v", c.name, i, p.decided)
					break
				}
				b := c.payload(i)
				p.decide(&dissect.Frame{Datagram: &dissect.Datagram{Payload: b, Length: len(b)}})
			}
			forgot, habits := [2]int{}, [2]int{habitually, habitually}
			if c.want != assumed {
				forgot, habits = [2]int{1, 1}, [2]int{}
			}
			if got := [2]int{c1.side[0].habits, c1.side[1].habits}; p.params.Dialect != c.want || c1.c.Dialect != c.want.String() || judge.sides != forgot || got != habits {
				t.Errorf("%s, %s assumed: %s, the connection %q, forgot %v, habits %v; want %s, %v, %v", c.name, assumed, p.params.Dialect, c1.c.Dialect, judge.sides, got, c.want, forgot, habits)
			}
		}
	}
}
