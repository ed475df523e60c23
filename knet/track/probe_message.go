package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
)

// message judges a message by its relation to what the other side sent.
func (e *evidence) message(x *knet.Block, side dissect.Dir) {
	other := &e.side[side.Other()]
	switch {
	case x.ID >= 3 && x.ID <= 4 && len(x.Body) == knet.AckSize:
		e.ack(x, other)
	case x.ID <= 2 && len(x.Body) == 1:
		e.ping(x, side)
	case x.ID == 2 && len(x.Body) == 2:
		e.zero++
	case x.ID == 3 && len(x.Body) == 2:
		e.one++
	case e.dialect != knet.Spec:
	case x.ID == knet.IDConnectSyn:
		if e.syn == 0 {
			e.AddOpening("ConnectSyn", bitsSyn)
		}
		e.syn = int8(side + 1)
	case x.ID == knet.IDConnectSynAck && dissect.Dir(e.syn) == 2-side && !e.synAck:
		e.synAck = true
		e.relate("ConnectSynAck in answer to ConnectSyn", bitsSynAnswer)
	case x.ID == knet.IDDisconnectAck && len(x.Body) == 0 && dissect.Dir(e.syn) == 2-side && !e.synAck && !e.refused:
		e.refused = true
		e.relate("DisconnectAck in answer to ConnectSyn", bitsSynAnswer)
	case x.ID == knet.IDConnectAck && len(x.Body) == 0 && e.synAck && dissect.Dir(e.syn) == side+1:
		e.synAck = false
		e.relate("ConnectAck in answer to ConnectSynAck", bitsSynAnswer)
	}
}

// ack judges the PacketIDs that a PacketAck names.
func (e *evidence) ack(x *knet.Block, other *probeSide) {
	if !other.has {
		return
	}
	a := knet.AckOf(x.Body, e.dialect)
	var ids [knet.MaxAcked]int64
	hits, plain, unsent, wrong := 0, 0, 0, 0
	for _, id := range a.AppendIDs(ids[:0]) {
		if slot := &other.sent.ring[id%sentIDs]; *slot&^sentReliable == uint32(id)+1 {
			if *slot&sentReliable != 0 {
				hits++
			} else {
				plain++ // some receivers acknowledge whatever comes
			}
			*slot = 0
			continue
		}
		if before := (other.low - uint32(id)) & knet.PacketIDMask; before > 0 && before <= knet.MaxAcked {
			continue // sent before the first one captured
		}
		unsent++
		if back := (other.last - uint32(id)) & knet.PacketIDMask; back > FarIDs && back < 1<<knet.PacketIDBits-FarIDs {
			wrong++
		}
	}
	each := float64(bitsAckMore)
	if unsent == 0 {
		hits += plain
		each = bitsAckRun
	}
	switch {
	case hits > 0:
		e.relate("PacketAck of datagrams just sent", bitsAck+each*float64(min(hits-1, maxAckMore)))
		if x.ID == 3 {
			e.zero += 2
		} else if wrong == 0 {
			e.one += 2
		}
	case wrong > 0:
		e.relate("PacketAck of PacketIDs far from those sent", bitsAckWrong)
	}
}

// ping judges a message that is a PingRequest or PingReply by one of the maps.
func (e *evidence) ping(x *knet.Block, side dissect.Dir) {
	v := x.Body[0]
	if x.ID > 0 {
		asked := e.side[side.Other()].sent
		if bit := uint64(1) << (v & 63); asked != nil && asked.pings[x.ID-1][v>>6]&bit != 0 {
			asked.pings[x.ID-1][v>>6] &^= bit
			e.relate("PingReply to an outstanding PingRequest", bitsEcho)
			e.meet(v, side)
			if x.ID == 1 {
				e.zero++
			} else {
				e.one++
			}
		} else if x.ID == 2 {
			e.relate("PingReply without a PingRequest", bitsNoEcho)
		}
	}
	if x.ID < 2 {
		e.side[side].sent.pings[x.ID][v>>6] |= 1 << (v & 63)
	}
}

// meet notes a reply to the PingRequests of a server's first datagram. Both are what a
// client answers that is turned away, or one of a flood, and often all.
func (e *evidence) meet(id uint8, side dissect.Dir) {
	if dissect.Dir(e.hello) != 2-side || id != 1 && id != 2 || e.met == 3 {
		return
	}
	if e.met |= id; e.met == 3 {
		e.relate("replies to both PingRequests of a server's first datagram", bitsMet)
	}
}
