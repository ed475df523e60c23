package hazel

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// Types of handshake messages whose content is looked at.
const (
	ClientHello        = 1
	ServerHello        = 2
	HelloVerifyRequest = 3
)

const handshakeHeader = 12

// HazelSuite is the only cipher suite of Hazel's own DTLS, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256.
const HazelSuite = 0xC02F

// A DTLSHandshake is one DTLS handshake message that fills its record.
//
//	msg_type:8 | length:24 | message_seq:16 | fragment_offset:24 | fragment_length:24 | body
type DTLSHandshake struct {
	Type     byte
	length   int // of the whole message
	seq      uint16
	whole    bool // it is not a fragment
	Body     []byte
	Session  []byte // session_id of ClientHello and ServerHello
	Cookie   []byte // of ClientHello and HelloVerifyRequest
	Suites   []byte // offered by ClientHello, chosen by ServerHello
	Readable bool   // the three above are valid
}

// Parse reads the body of a record; it reports false when it is not one
// handshake message or fragment of one.
func (h *DTLSHandshake) Parse(b []byte) bool {
	if len(b) < handshakeHeader {
		return false
	}
	h.Type, h.length, h.seq = b[0], big24(b[1:]), binary.BigEndian.Uint16(b[4:])
	offset, n := big24(b[6:]), big24(b[9:])
	if handshakeHeader+n != len(b) || offset+n > h.length {
		return false
	}
	h.Body, h.whole = b[handshakeHeader:], offset == 0 && n == h.length
	h.Readable = h.whole && h.parseBody(vectors{rest: h.Body})
	return true
}

func big24(b []byte) int { return int(b[0])<<16 | int(b[1])<<8 | int(b[2]) }

// parseBody takes a Hello apart. Extensions may follow; they are not looked at.
func (h *DTLSHandshake) parseBody(v vectors) bool {
	h.Session, h.Cookie, h.Suites = nil, nil, nil
	switch h.Type {
	case ClientHello:
		v.fixed(2 + 32)
		h.Session, h.Cookie, h.Suites = v.vector(1), v.vector(1), v.vector(2)
		v.vector(1)
	case HelloVerifyRequest:
		v.fixed(2)
		h.Cookie = v.vector(1)
		return !v.failed && len(v.rest) == 0
	case ServerHello:
		v.fixed(2 + 32)
		h.Session, h.Suites = v.vector(1), v.fixed(2)
		v.fixed(1)
	default:
		return false
	}
	return !v.failed
}

// vectors takes a handshake message apart.
type vectors struct {
	rest   []byte
	failed bool
}

func (v *vectors) fixed(n int) []byte {
	if v.failed = v.failed || len(v.rest) < n; v.failed {
		return nil
	}
	b := v.rest[:n]
	v.rest = v.rest[n:]
	return b
}

// vector takes a length of n bytes and so many bytes.
func (v *vectors) vector(n int) []byte {
	length := 0
	for _, c := range v.fixed(n) {
		length = length<<8 | int(c)
	}
	return v.fixed(length)
}

// read records a message that parse accepted.
func (h *DTLSHandshake) read(r *dissect.Reader, rows []dissect.Field) {
	r.U8(&rows[rHandshake])
	readBig(r, &rows[rHandshakeLength], 3)
	r.B16(&rows[rMessageSeq])
	readBig(r, &rows[rFragmentOffset], 3)
	readBig(r, &rows[rFragmentLength], 3)
	end := r.Len() - len(h.Body)
	if h.Readable {
		h.readHello(r, rows, end)
		return
	}
	readBytes(r, &rows[rData], len(h.Body))
}

// readHello records ClientHello, HelloVerifyRequest or ServerHello; end is how
// many bytes of the datagram follow it.
func (h *DTLSHandshake) readHello(r *dissect.Reader, rows []dissect.Field, end int) {
	version := rServerVersion
	if h.Type == ClientHello {
		version = rClientVersion
	}
	r.B16(&rows[version])
	if h.Type != HelloVerifyRequest {
		r.Bytes(&rows[rRandom], 32)
		r.U8(&rows[rSessionLength])
		if len(h.Session) == 1 {
			r.U8(&rows[rSessionVersion])
		} else {
			readBytes(r, &rows[rSession], len(h.Session))
		}
	}
	switch h.Type {
	case ServerHello:
		r.B16(&rows[rSuite])
		r.Bytes(&rows[rCompression], 1)
	default:
		r.U8(&rows[rCookieLength])
		readBytes(r, &rows[rCookie], len(h.Cookie))
	}
	if h.Type == ClientHello {
		r.B16(&rows[rSuitesLength])
		readBytes(r, &rows[rSuites], len(h.Suites))
		n := r.U8(&rows[rCompressionLength])
		readBytes(r, &rows[rCompression], int(n))
	}
	readBytes(r, &rows[rExtensions], r.Len()-end)
}

// readBytes is Reader.Bytes without a row for nothing.
func readBytes(r *dissect.Reader, f *dissect.Field, n int) {
	if n > 0 {
		r.Bytes(f, n)
	}
}
