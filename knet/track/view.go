package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A View is what a Judge may read of a connection.
type View struct{ c *conn }

// Conn is the connection. A Judge writes nothing of it but its Rules.
func (v View) Conn() *session.Conn { return v.c.c }

// Sure reports whether the dialect is beyond doubt: only then endpoints are judged by it
// (guard DIAL).
func (v View) Sure() bool { return v.c.pair.sure() }

// Dialect is that of the address pair.
func (v View) Dialect() knet.Dialect { return v.c.pair.params.Dialect }

// IDs is the map of the ids of control messages, which may be unknown.
func (v View) IDs() knet.IDMap { return v.c.pair.params.IDs }

// IDsOpen reports that the map of ids is not certain yet.
func (v View) IDsOpen() bool { return v.c.pair.idsOpen() }

// Client is the side that opened the connection, -1 when that is not known.
func (v View) Client() dissect.Dir { return v.c.client }

// State is how far the connection has come.
func (v View) State() session.State { return v.c.life.state }

// Over reports whether the connection has ended.
func (v View) Over() bool { return v.c.life.over() }

// HeardAt is when the latest datagram of a side was captured, ns.
func (v View) HeardAt(dir dissect.Dir) int64 { return v.c.life.heardAt[dir] }

// Connects counts the ConnectSyns, or connect datagrams.
func (v View) Connects() int { return v.c.life.connects }

// Number is the full number after the reliable number of a message that a side sends.
func (v View) Number(dir dissect.Dir, wire uint32) seq.Num { return v.c.side[dir].numbers.Peek(wire) }

// BitsOpen reports that it is not certain which PacketIDs the bits of a side's PacketAcks name.
func (v View) BitsOpen(dir dissect.Dir) bool {
	return v.c.pair.params.Dialect == knet.Spec && !v.c.side[dir].bits.sure
}

// MayHave reports that it is open whether a side has acknowledged a PacketID.
func (v View) MayHave(dir dissect.Dir, num seq.Num) bool { return v.c.side[dir].bits.mayHave(num) }

// Renames reports that a side sends reliable datagrams of Spec again under new PacketIDs.
func (v View) Renames(dir dissect.Dir) bool {
	r := v.c.side[dir].resends
	return r != nil && r.style
}

// WasCut reports that the capture cut a datagram of a side.
func (v View) WasCut(dir dissect.Dir, num seq.Num) bool { return v.c.side[dir].cuts.has(num) }

// RepliedTo reports that a PingRequest in a datagram of a side, sent at a time or later, was replied
// to before another.
func (v View) RepliedTo(dir dissect.Dir, num seq.Num, since, before int64) bool {
	for _, p := range v.c.side[dir].pings {
		if p.num == num && p.answered && !p.again && p.at >= since && p.at+p.took < before {
			return true
		}
	}
	return false
}

// MayOpen reports whether a PacketID stands in the latest connect datagram, or in the latest datagram without messages that was
// set apart, which may be one: a copy of it, which its receiver takes for a datagram, is acknowledged.
func (v View) MayOpen(id uint32) bool { return v.c.pair.opener == id+1 }
