package hazel

import (
	"bytes"
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// Evidence, in bits, that records of DTLS are Hazel's: the version that is not
// one, a session id of one byte, a cipher suite whose records are shorter than
// its standard allows, and Pings that are acknowledged, by their sizes.
const (
	bitsHiddenHello    = 36   // a ClientHello whose record has version 0
	bitsHiddenAnswer   = 30   // the other side's handshake, alike
	bitsHiddenNext     = 8    // a record with version 0 and the number after the last one
	bitsSessionVersion = 24   // a session id of one byte, 1
	bitsOwnSuite       = 4    // c02f alone is offered
	bitsShortFinished  = 32   // a Finished of c02f without a nonce
	bitsPingAnswered   = 10   // a record of a Ping's size answered by one of an acknowledgement's
	bitsAckSize        = 1.5  // a record of an acknowledgement's size behind one of the other side
	bitsNextRecord     = 1    // the number after the last one
	bitsOtherRecord    = -24  // records that Hazel does not send
	mostNextRecord     = 16.0 // bits that numbers one after the other give at most
	mostAckSize        = 18.0
	mostHiddenNext     = 48.0
	leastPings         = 3
	answerTime         = 1e9 // ns within which a Ping is acknowledged

	finishedSize       = 24         // a Finished, sealed: header and 12 bytes
	shortestNonceCoded = sealed + 8 // what a GCM record adds by its standard
	sessionVersionOne  = 1          // value of the session id
	pingRecord         = sizePing + sealed
	ackRecord          = sizeAck + sealed
)

// A dtlsTrack is the evidence for Hazel over DTLS.
type dtlsTrack struct {
	session.Evidence
	side     [2]dtlsSide
	client   int // side of the ClientHello plus 1
	hidden   bool
	marked   bool // a mark of Hazel that needs both sides was seen of both
	suite    bool // the server chose Hazel's
	foreign  bool // it can't be Hazel
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
	data    bool // its last record was not an acknowledgement
}

// observe gives the evidence that counts so far.
func (t *dtlsTrack) observe(d *dissect.Datagram, side int) float64 {
	n, first := asRecords(d.Payload)
	if n == 0 && !d.Cut() || t.foreign {
		t.foreign = true
		return math.Inf(-1)
	}
	var l Records
	l.decode(d.Payload, nil)
	if first.Version == hiddenVersion && n > 0 {
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

func (t *dtlsTrack) record(r *Record, d *dissect.Datagram, side int) {
	switch {
	case r.Epoch > 0 && r.Content == recordHandshake:
		t.finish(r)
	case r.Epoch > 0 && r.Content == recordApplicationData:
		t.message(r, d, side)
	case r.Epoch == 0 && r.Content == recordHandshake:
		t.handshake(r, side)
	case r.Epoch == 0 && r.Content == recordApplicationData:
		t.foreign = true
	}
}

func (t *dtlsTrack) handshake(r *Record, side int) {
	var h handshake
	if !h.parse(r.Body) {
		return
	}
	switch hidden := r.Version == hiddenVersion; {
	case h.typ == clientHello && h.readable:
		t.hello(&h, hidden, side)
	case t.client == 2-side && (h.typ == helloVerifyRequest || h.typ == serverHello):
		if hidden && !t.marked {
			t.marked = true
			t.Add("records of both sides hide their version", bitsHiddenAnswer)
		}
		if h.typ == serverHello && h.readable {
			t.suite = bytes.Equal(h.suites, []byte{hazelSuite >> 8, hazelSuite & 0xff})
			t.foreign = t.foreign || !t.suite && !hidden
		}
	}
}

func (t *dtlsTrack) hello(h *handshake, hidden bool, side int) {
	if t.client != 0 {
		return
	}
	t.client = side + 1
	if hidden {
		t.Add("a ClientHello that hides its version", bitsHiddenHello)
	}
	if len(h.session) == 1 && h.session[0] == sessionVersionOne {
		t.Add("a session id of one byte", bitsSessionVersion)
	}
	if len(h.suites) == 2 && h.suites[0] == hazelSuite>>8 && h.suites[1] == hazelSuite&0xff {
		t.Add("one cipher suite, Hazel's", bitsOwnSuite)
	}
}

// finish judges the encrypted end of a handshake. Where the suite is known, its
// standard wants eight bytes more than Hazel sends.
func (t *dtlsTrack) finish(r *Record) {
	switch {
	case !t.suite:
	case r.Length == finishedSize+sealed && t.finished < 2:
		t.finished++
		t.Add("Finished without the nonce of its cipher suite", bitsShortFinished)
	case r.Length >= finishedSize+shortestNonceCoded && !t.hidden:
		t.foreign = true
	}
}

// message judges an encrypted message by its size.
func (t *dtlsTrack) message(r *Record, d *dissect.Datagram, side int) {
	s, o := &t.side[side], &t.side[1-side]
	if r.Length <= sealed {
		t.Add("a record that Hazel does not send", bitsOtherRecord)
	}
	if s.any && r.Sequence == s.seq+1 {
		t.grow(&t.next, mostNextRecord, "the next record", bitsNextRecord)
		if r.Version == hiddenVersion {
			t.grow(&t.hiddens, mostHiddenNext, "the next record, its version hidden", bitsHiddenNext)
		}
	}
	s.seq, s.any = max(s.seq, r.Sequence), true
	switch r.Length {
	case pingRecord:
		s.waiting, s.pingAt = true, d.Time
	case ackRecord:
		if o.waiting && d.Time-o.pingAt <= answerTime {
			o.waiting = false
			t.pings++
			t.Add("a Ping is acknowledged, by their sizes", bitsPingAnswered)
		} else if o.data {
			t.grow(&t.acks, mostAckSize, "a record of the size of an acknowledgement", bitsAckSize)
		}
	}
	s.data, o.data = r.Length != ackRecord, o.data && r.Length != ackRecord
}
