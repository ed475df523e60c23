package track

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
)

// Evidence, in bits, that records of DTLS are Hazel's: the version that is not
// one, a session id of one byte, a cipher suite whose records are shorter than
// its standard allows, and Pings that are acknowledged, by their sizes.
const (
	bitsHiddenHello    = 36  // a ClientHello whose record has version 0
	bitsHiddenAnswer   = 30  // the other side's handshake, alike
	bitsHiddenNext     = 8   // a record with version 0 and the number after the last one
	bitsSessionVersion = 24  // a session id of one byte, 1: others send none or 32 bytes
	bitsSessionAgain   = 36  // … again, with the cookie the server gave
	bitsOwnSuite       = 4   // c02f alone is offered
	bitsShortFinished  = 32  // a Finished of c02f without a nonce
	bitsAckSize        = 1.5 // a record of an acknowledgement's size after one that may have asked for it
	bitsStrayAckSize   = -8  // … after none
	bitsPingUnanswered = -20 // a Ping's size again, and nothing of an acknowledgement's between
	bitsNextRecord     = 1   // the number after the last one
	bitsBeyondEnd      = -48 // a record after one of a Disconnect's size
	bitsHardlySent     = -12 // a record with two bytes: no type, or an unreliable payload of one
	bitsOtherRecord    = -24 // records that Hazel does not send
	mostNextRecord     = 16.0
	mostAckSize        = 18.0
	mostHiddenNext     = 48.0
	leastPings         = 6
	answerTime         = 1e9 // ns within which a Ping is acknowledged

	finishedSize       = 24               // a Finished, sealed: header and 12 bytes
	shortestNonceCoded = hazel.Sealed + 8 // what a GCM record adds by its standard
	sessionVersionOne  = 1                // value of the session id
	hardlySentRecord   = 2 + hazel.Sealed
	disconnectRecord   = hazel.SizeDisconnect + hazel.Sealed
	pingRecord         = hazel.SizePing + hazel.Sealed
	ackRecord          = hazel.SizeAck + hazel.Sealed
)

// bitsPingAnswered is what an acknowledgement's size after a Ping's gives, by
// how many records of its side it came after: the chance that records of any
// small size, one in sixteen alike, would do so.
var bitsPingAnswered = [...]float64{4, 3, 2.4, 2, 1.7}

// A dtlsTrack is the evidence for Hazel over DTLS.
type dtlsTrack struct {
	session.Evidence
	*dtlsState      // nil before the first records: most pairs send none
	foreign    bool // it can't be Hazel
}

type dtlsState struct {
	side     [2]dtlsSide
	client   dissect.Dir // side of the ClientHello plus 1
	given    []byte      // cookie of the server
	hidden   bool
	marked   bool // a mark of Hazel that needs both sides was seen of both
	suite    bool // the server chose Hazel's
	pings    int  // answered
	next     float64
	acks     float64
	hiddens  float64
	finished int
}

type dtlsSide struct {
	seq     uint64 // of the last encrypted record
	any     bool
	hidden  int   // records with version 0
	pingAt  int64 // of a Ping that waits for its answer
	waiting bool
	since   int  // records of the other side since that Ping
	asking  int  // records since the other side's last acknowledgement that may have wanted one
	ended   bool // a record of a Disconnect's size was captured, with number end
	end     uint64
}

// observe gives the evidence that counts so far.
func (t *dtlsTrack) observe(d *dissect.Datagram, side dissect.Dir) float64 {
	n, first := hazel.AsRecords(d.Payload)
	if n == 0 && !d.Cut() || t.foreign {
		t.foreign = true
		return math.Inf(-1)
	}
	if t.dtlsState == nil {
		t.dtlsState = new(dtlsState)
	}
	var l hazel.Records
	l.Decode(d.Payload, nil)
	if first.Version == hazel.HiddenVersion && n > 0 {
		t.hidden = true
		t.side[side].hidden++
	}
	for i := range l.List[:l.N] {
		t.record(&l.List[i], d, side)
	}
	switch {
	case t.foreign:
		return math.Inf(-1)
	case t.marked, t.pings >= leastPings, t.finished == 2, t.side[0].hidden >= 2 && t.side[1].hidden >= 2:
		return t.Bits
	}
	return min(t.Bits, session.EvidenceFloor)
}

func (t *dtlsTrack) grow(sum *float64, most float64, what string, bits float64) {
	if *sum < most {
		*sum += bits
		t.Add(what, bits)
	}
}

func (t *dtlsTrack) record(r *hazel.Record, d *dissect.Datagram, side dissect.Dir) {
	switch {
	case r.Epoch > 0 && r.Content == hazel.RecordHandshake:
		t.finish(r)
	case r.Epoch > 0 && r.Content == hazel.RecordApplicationData:
		t.message(r, d, side)
	case r.Epoch == 0 && r.Content == hazel.RecordHandshake:
		t.handshake(r, side)
	case r.Epoch == 0 && r.Content == hazel.RecordApplicationData:
		t.foreign = true
	}
}

func (t *dtlsTrack) handshake(r *hazel.Record, side dissect.Dir) {
	var h hazel.DTLSHandshake
	if !h.Parse(r.Body) {
		return
	}
	switch hidden := r.Version == hazel.HiddenVersion; {
	case h.Type == hazel.ClientHello && h.Readable:
		t.hello(&h, hidden, side)
	case t.client == 2-side && h.Readable:
		t.answer(&h, hidden)
	}
}

// hello judges a ClientHello.
func (t *dtlsTrack) hello(h *hazel.DTLSHandshake, hidden bool, side dissect.Dir) {
	version := len(h.Session) == 1 && h.Session[0] == sessionVersionOne
	if t.client != 0 {
		if version && t.client == side+1 && !t.marked && len(t.given) > 0 && bytes.Equal(h.Cookie, t.given) {
			t.marked = true
			t.Add("the same session id of one byte, with the server's cookie", bitsSessionAgain)
		}
		return
	}
	t.client = side + 1
	if hidden {
		t.Add("a ClientHello that hides its version", bitsHiddenHello)
	}
	if version {
		t.Add("a session id of one byte", bitsSessionVersion)
	}
	if isSuite(h.Suites) {
		t.Add("one cipher suite, Hazel's", bitsOwnSuite)
	}
}

// isSuite reports Hazel's cipher suite alone.
func isSuite(b []byte) bool { return len(b) == 2 && binary.BigEndian.Uint16(b) == hazel.HazelSuite }

// answer judges a HelloVerifyRequest or a ServerHello.
func (t *dtlsTrack) answer(h *hazel.DTLSHandshake, hidden bool) {
	if hidden && !t.marked {
		t.marked = true
		t.Add("records of both sides hide their version", bitsHiddenAnswer)
	}
	if h.Type == hazel.HelloVerifyRequest {
		t.given = append(t.given[:0], h.Cookie...)
		return
	}
	t.suite = isSuite(h.Suites)
	t.foreign = t.foreign || !t.suite && !hidden
}

// finish judges the encrypted end of a handshake. Where the suite is known, its
// standard wants eight bytes more than Hazel sends.
func (t *dtlsTrack) finish(r *hazel.Record) {
	switch {
	case !t.suite:
	case r.Length == finishedSize+hazel.Sealed && t.finished < 2:
		t.finished++
		t.Add("Finished without the nonce of its cipher suite", bitsShortFinished)
	case r.Length >= finishedSize+shortestNonceCoded && !t.hidden:
		t.foreign = true
	}
}

// message judges an encrypted message by its size.
func (t *dtlsTrack) message(r *hazel.Record, d *dissect.Datagram, side dissect.Dir) {
	s := &t.side[side]
	switch {
	case r.Length <= hazel.Sealed:
		t.Add("a record that Hazel does not send", bitsOtherRecord)
	case r.Length == hardlySentRecord:
		t.Add("a record that Hazel rarely sends", bitsHardlySent)
	case s.ended && r.Sequence > s.end && r.Length != disconnectRecord:
		t.Add("a record after a Disconnect, by their sizes", bitsBeyondEnd)
	}
	if s.any && r.Sequence == s.seq+1 {
		t.grow(&t.next, mostNextRecord, "the next record", bitsNextRecord)
		if r.Version == hazel.HiddenVersion {
			t.grow(&t.hiddens, mostHiddenNext, "the next record, its version hidden", bitsHiddenNext)
		}
	}
	s.seq, s.any = max(s.seq, r.Sequence), true
	t.side[side.Other()].since++
	switch r.Length {
	case disconnectRecord:
		s.ended, s.end = true, r.Sequence
	case pingRecord:
		t.ping(s, d.Time)
	case ackRecord:
		t.ack(&t.side[side.Other()], d.Time)
	default:
		s.asking++
	}
}

// ping judges a record of a Ping's size. Each is acknowledged, long before the
// next.
func (t *dtlsTrack) ping(s *dtlsSide, now int64) {
	if s.waiting {
		t.Add("a Ping is not acknowledged, by their sizes", bitsPingUnanswered)
	}
	s.waiting, s.pingAt, s.since = true, now, 0
	s.asking++
}

// ack judges a record of an acknowledgement's size, for what the side o sent.
func (t *dtlsTrack) ack(o *dtlsSide, now int64) {
	switch {
	case o.waiting && now-o.pingAt <= answerTime:
		t.pings++
		t.Add("a Ping is acknowledged, by their sizes", bitsPingAnswered[min(o.since, len(bitsPingAnswered))-1])
	case o.asking > 0:
		t.grow(&t.acks, mostAckSize, "a record of the size of an acknowledgement", bitsAckSize)
	case o.any:
		t.Add("a record of the size of an acknowledgement, with nothing to acknowledge", bitsStrayAckSize)
	}
	o.waiting = o.waiting && now-o.pingAt > answerTime
	o.asking = max(o.asking-1, 0)
}
