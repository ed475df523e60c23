package track

import (
	"math/bits"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Transmissions of a packet are told apart by their serials (MC-DPL4R 2.2.2). A message of one packet
// counts its own transmissions. A message of several counts the transmissions of all its packets, so
// that the first transmission of packet k has at least the serial k; there are senders that count each
// packet by itself.

// A sentMessage is what is remembered of a message of several packets.
type sentMessage struct {
	msg     seq.Num
	set     bool
	started bool      // start is valid
	start   seq.Num   // number of its first packet, or the lowest it can be
	retries [4]uint64 // serials of captured retries
	hasLast bool
	last    int64 // time of the latest captured first transmission
}

// noMessage is one that is not remembered.
var noMessage sentMessage

func (h *history) sentMessage(m seq.Num) *sentMessage {
	if h.sent == nil {
		return &noMessage
	}
	return &h.sent[m&31]
}

// mark says what a captured transmission is, before the engine sees it; u is what is remembered
// of its packet.
func (h *history) mark(fr *dissect.Frame, f *dp4.Frame, u Record, num, msg seq.Num) seq.Mark {
	seen := u.IsKnown() && u.Msg == msg
	switch {
	case seen && f.Serial == u.least && !u.again:
		return seq.MarkFirst // a copy
	case seen && f.Serial >= u.least, h.proves(fr, f, num, msg):
		return seq.MarkRetry
	case seen && u.again, f.Flags&dp4.STA != 0, h.perPacket:
		return seq.MarkFirst
	}
	return seq.Unmarked
}

// proves reports whether the serial of a transmission shows, though no copy with a
// lower one was captured, that the packet had been sent before.
func (h *history) proves(fr *dissect.Frame, f *dp4.Frame, num, msg seq.Num) bool {
	switch {
	case f.Serial == 0:
		return false
	case f.Flags&dp4.STA != 0 || h.perPacket:
		return true
	}
	return h.overtaken(fr, f.Serial, num, msg) || h.unexplained(f.Serial, num, msg) > 0 && h.late(fr, msg)
}

// overtaken compares with the packets after this one, which are first sent
// after it: one of the same message with a lower serial is proof. So is one that
// went by long ago, when there are serials nothing else explains.
func (h *history) overtaken(fr *dissect.Frame, serial uint8, num, msg seq.Num) bool {
	if h.deny(num) && h.unexplained(serial, num, msg) > 0 {
		return true
	}
	first := true
	top, _ := h.out.Window().Highest()
	for n := num + 1; n <= min(top, num+Remembered-1); n++ {
		u := h.at(n)
		if !u.IsKnown() {
			continue
		}
		if first && u.known.Timed() && fr.HasTime && fr.Time-u.known.Time() > seq.CopyHorizon && h.unexplained(serial, num, msg) > 0 {
			return true
		}
		first = false
		if u.Msg != msg {
			return false
		}
		if int8(u.least-serial) < 0 {
			return true
		}
	}
	return false
}

// mostDenied bounds the numbers of a side that are remembered because they were reported missing before they were captured.
const mostDenied = 32

// miss notes that a number that was not captured was reported missing: packets
// after it had arrived by then.
func (h *history) miss(num seq.Num) {
	if h.deny(num) {
		return
	}
	if len(h.denied) < mostDenied {
		h.denied = append(h.denied, num)
	} else {
		h.denied[h.n%mostDenied] = num
	}
	h.n++
}

// deny reports whether a number was reported missing before it was captured.
func (h *history) deny(num seq.Num) bool {
	return slices.Contains(h.denied, num)
}

// unexplained counts the serials below this one that neither the packets before it
// nor captured retries account for: transmissions that were not captured. If this is
// a retry, the first transmission of its packet is among them.
func (h *history) unexplained(serial uint8, num, msg seq.Num) int {
	m := h.sentMessage(msg)
	if !m.set || m.msg != msg {
		start, ok := h.startOf(num)
		if !ok {
			return 0
		}
		return max(0, int(serial)-int(num-start))
	}
	if !m.started || num-m.start > 64 {
		return 0
	}
	return int(serial) - int(num-m.start) - m.below(serial)
}

// below counts captured retries of a message with lower serials.
func (m *sentMessage) below(serial uint8) (n int) {
	for i := range m.retries {
		if low := int(serial) - 64*i; low > 0 {
			n += bits.OnesCount64(m.retries[i] & (1<<min(low, 64) - 1))
		}
	}
	return n
}

// late reports whether a packet comes as late after the first transmissions of its
// message as only a retry does.
func (h *history) late(fr *dissect.Frame, msg seq.Num) bool {
	m := h.sentMessage(msg)
	return !m.set || m.msg != msg || !m.hasLast || fr.HasTime && fr.Time-m.last > max(h.out.MinRTT(), seq.CopyHorizon/2)
}

// keepSent remembers a transmission that the engine has judged; fresh says that there was none before.
func (c *conn) keepSent(u Record, fresh bool, words dissect.Words) {
	f, retry := c.Packet, words&(dissect.Retry|dissect.Duplicate) == dissect.Retry
	switch {
	case fresh || u.Msg != c.Msg: // another one had the number
		u.Msg, u.least, u.again, u.epoch = c.Msg, f.Serial, retry, noEpoch
	case f.Serial < u.least:
		u.least, u.again = f.Serial, retry
	}
	u.latest, u.counted = f.Serial, c.own.bytes.captured
	if f.Flags&dp4.WholeMessage != dp4.WholeMessage {
		c.own.history.keepSentMessage(c.Frame, f, u.Num, c.Msg, retry, words.Has(dissect.Duplicate))
	}
}

func (h *history) keepSentMessage(fr *dissect.Frame, f *dp4.Frame, num, msg seq.Num, retry, copied bool) {
	if h.sent == nil {
		h.sent = new([32]sentMessage)
	}
	m := h.sentMessage(msg)
	if m.set && m.msg > msg {
		return
	}
	if !m.set || m.msg != msg {
		*m = sentMessage{msg: msg, set: true}
		m.start, m.started = h.startOf(num)
	}
	switch {
	case f.Flags&dp4.STA != 0:
		m.started, m.start = true, num
	case f.Serial == 0 && (!m.started || num-m.start < 128):
		h.perPacket = true // counting all packets, only the first can have serial 0
	}
	switch {
	case retry:
		m.retries[f.Serial>>6] |= 1 << (f.Serial & 63)
	case !copied && fr.HasTime && (!m.hasLast || fr.Time > m.last):
		m.last, m.hasLast = fr.Time, true
	}
}

// startOf gives the lowest number a message can start with that has the packet
// num, by the packets of others captured before.
func (h *history) startOf(num seq.Num) (start seq.Num, ok bool) {
	for n := num - 1; n > num-64; n-- {
		if h.at(n).IsKnown() {
			return n + 1, true
		}
	}
	return 0, false
}

// differs reports whether the first transmission of a packet was captured and was
// another one than that with the given hash.
func (h *history) differs(digest uint32, num, msg seq.Num) bool {
	u := h.at(num)
	return u.IsKnown() && (u.Msg != msg || u.least == 0 && u.known.First() && u.known.Digest() != digest)
}

// names reports whether a packet was captured and is of the message with the given
// low byte.
func (h *history) names(num seq.Num, message uint8) bool {
	u := h.at(num)
	return u.IsKnown() && uint8(u.Msg) == message
}

// answered gives what was captured of this side up to the packet an ACK answers; ok
// is false unless that packet came by but a round trip ago, so that none after it
// can have arrived before the ACK was sent.
func (h *history) answered(fr *dissect.Frame, f *dp4.Frame, num seq.Num, rtt int64) (sum int64, ok bool) {
	if f.Type != dp4.TypeACK || !fr.HasTime {
		return 0, false
	}
	u := h.at(num)
	if !u.IsKnown() || u.latest != f.Serial || fr.Time-u.transmissions().seen > rtt+rtt/2 {
		return 0, false
	}
	return u.counted, true
}
