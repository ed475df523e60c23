package hazelpeer

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Content types of DTLS records and types of handshake messages (RFC 6347).
const (
	changeCipherSpec = 20
	handshakeRecord  = 22
	applicationData  = 23

	clientHello        = 1
	serverHello        = 2
	helloVerifyRequest = 3
	certificate        = 11
	serverKeyExchange  = 12
	serverHelloDone    = 14
	clientKeyExchange  = 16
)

// A tunnel carries a connection in DTLS records (Hazel.Dtls). Nothing is
// encrypted for good: bytes are mixed so that they look it, and the key is their
// sequence number.
type tunnel struct {
	p     *Peer
	up    func() // what to do when the handshake is done
	at    int    // the next entry of the plan
	plain uint64 // sequence number of the next record of epoch 0
	seq   uint64 // … of epoch 1
	msg   uint16 // of the next handshake message
}

// version of records: the client hides DTLS, the server answers alike.
const hiddenVersion = 0x0000

// A plan is the handshake of Hazel's own DTLS: who sends what, datagram by
// datagram.
var plan = []struct {
	side  int
	steps []step
}{
	{0, []step{{clientHello, 0, false}}},
	{1, []step{{helloVerifyRequest, 23, false}}},
	{0, []step{{clientHello, 0, true}}},
	{1, []step{{serverHello, 38, false}, {certificate, 700, false}}},
	{1, []step{{serverKeyExchange, 300, false}, {serverHelloDone, 0, false}}},
	{0, []step{{clientKeyExchange, 33, false}, {changeCipherSpec, 1, false}, {finished, 40, false}}},
	{1, []step{{changeCipherSpec, 1, false}, {finished, 40, false}}},
}

// A step is one record of the handshake.
type step struct {
	kind   int // handshake type, or changeCipherSpec, or finished
	size   int // of the body, where it is made up
	cookie bool
}

const finished = 1 << 8

// advance sends what is due from this side.
func (t *tunnel) advance() {
	for t.at < len(plan) && plan[t.at].side == t.p.side {
		t.entry(t.at)
		t.at++
	}
	if t.at == len(plan) && t.up != nil {
		up := t.up
		t.up = nil
		up()
	}
}

// entry sends one datagram of the handshake.
func (t *tunnel) entry(i int) {
	var payload []byte
	n := note.New(t.p.conn, t.p.side, contentName(plan[i].steps[0]))
	n.Opens = plan[i].steps[0].kind == clientHello
	n.Proves = true
	for _, s := range plan[i].steps {
		r := t.record(s)
		payload = r.Append(payload)
		if s.kind == finished {
			n.Number, n.Exact, n.Establishes = int64(r.Sequence), true, t.p.side == 1
		}
	}
	t.p.transmit(n, payload)
}

func contentName(s step) string {
	if s.kind == changeCipherSpec {
		return hazel.ChangeCipherSpec.String()
	}
	return hazel.Handshake.String()
}

func (t *tunnel) record(s step) hazel.Record {
	r := hazel.Record{Content: handshakeRecord, Version: hiddenVersion, Sequence: t.plain}
	switch s.kind {
	case changeCipherSpec:
		r.Content, r.Body = changeCipherSpec, []byte{1}
	case finished:
		r.Epoch, r.Sequence, r.Body = 1, t.seq, t.p.node.World.bytes(s.size)
		t.seq++
		return r
	default:
		r.Body = t.message(s)
	}
	t.plain++
	return r
}

// message is a handshake message in one record.
func (t *tunnel) message(s step) []byte {
	body := t.body(s)
	b := []byte{byte(s.kind), 0, byte(len(body) >> 8), byte(len(body))}
	b = binary.BigEndian.AppendUint16(b, t.msg)
	t.msg++
	b = append(b, 0, 0, 0, 0, byte(len(body)>>8), byte(len(body)))
	return append(b, body...)
}

func (t *tunnel) body(s step) []byte {
	switch s.kind {
	case clientHello:
		b := append([]byte{0xfe, 0xfd}, t.p.conn.Own.(*shared).random...)
		b = append(b, 1, 1) // session id: the version of Hazel's session (Hazel f164f55)
		if s.cookie {
			b = append(append(b, 20), t.p.conn.Own.(*shared).cookie...)
		} else {
			b = append(b, 0)
		}
		b = append(b, 0, 2, 0xc0, 0x2f, 1, 0)            // one suite, no compression
		return append(b, 0, 8, 0, 10, 0, 4, 0, 2, 0, 29) // X25519
	case helloVerifyRequest:
		return append([]byte{0xfe, 0xfd, 20}, t.p.conn.Own.(*shared).cookie...)
	case serverHello:
		b := append([]byte{0xfe, 0xfd}, t.p.node.World.bytes(32)...)
		return append(b, 0, 0xc0, 0x2f, 0)
	}
	return t.p.node.World.bytes(s.size)
}

// seal puts a datagram of Hazel into a record: 16 bytes more than it has, for
// the nonce is not sent (Hazel AesGcmRecordProtection.cs).
func (t *tunnel) seal(n *note.Note, payload []byte) (*note.Note, []byte) {
	if t.seq == 1 {
		t.seq++ // the first record of an application has 2
	}
	r := hazel.Record{Content: applicationData, Version: hiddenVersion, Epoch: 1, Sequence: t.seq, Body: append(mix(payload, t.seq, t.p.side), t.p.node.World.bytes(sealed)...)}
	t.seq++
	return t.outside(n, len(payload), t.seq-1), r.Append(nil)
}

// outside is what a reader without keys sees of a datagram: sizes of one, three
// and four bytes are a Disconnect, a Ping and an acknowledgement.
func (t *tunnel) outside(n *note.Note, size int, seq uint64) *note.Note {
	out := note.New(n.Conn, n.Side, hazel.ApplicationData.String())
	out.Exact, out.Establishes, out.Close, out.Proves = true, n.Establishes, n.Close, true
	out.Number = int64(seq)
	if seq >= 2 {
		out.Number-- // 1 was left out, not lost
	}
	switch size {
	case 1:
	case 3:
		out.KeepAlives = 1
	case 4:
		out.Ack = true
	default:
		out.Data = true
	}
	return out
}

// open takes a datagram of the partner and gives what is in it, nil for the
// handshake.
func (t *tunnel) open(d *sim.Datagram) []byte {
	f := hazel.Frame{}
	if f.Decode(d.Payload, hazel.OverDTLS, nil) != nil {
		return nil
	}
	r := &f.Records.List[f.Records.N-1]
	if r.Content == applicationData {
		return mix(r.Body[:len(r.Body)-sealed], r.Sequence, 1-t.p.side)
	}
	// Paths with a tunnel lose nothing and keep the order: what comes is next.
	t.at++
	t.advance()
	return nil
}

// sealed is what encryption adds.
const sealed = 16

// mix changes bytes so that they look random, and back.
func mix(b []byte, seq uint64, side int) []byte {
	out := make([]byte, len(b))
	x := seq*2 + uint64(side) + 0x9e3779b97f4a7c15
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = b[i] ^ byte(x>>24)
	}
	return out
}
