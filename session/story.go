package session

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// Bounds of the address pairs that a table explains: where all are asked for, where only what tells
// something counts (Config.Endings without Config.Explain), and in a run without end.
const (
	MaxStories   = 4096
	maxPairsTold = 1024
	liveStories  = 256

	storiesRefused = 256 // for lack of room, before room is looked for again
)

// EnoughToGuess is the evidence, in bits, from which on the protocol of a pair that was not
// recognised may be guessed.
const EnoughToGuess = 8

// A Story tells why an address pair was not recognised or, with Config.Recognised, how it
// was. With Config.Explain it says why, and everything is looked at; with Config.Endings alone
// it costs next to nothing, and pairs that look like no protocol rest as ever.
type Story struct {
	A, B      string           // addresses; a sent the first datagram
	Src, Dst  dissect.Endpoint // the same
	First     uint64           // frame
	Datagrams int              // looked at until it was decided
	Sides     [2]int           // of them, by sender
	Notices   int              // ICMP notices that one was not delivered
	Notice    uint64           // frame of the first of them
	Refuser   string           // whom it was sent to
	Latest    int64            // time of the latest datagram, ns, and of the first
	Since     int64
	Protocol  string // recognised, or ""
	Frame     uint64 // that made it certain, or the last one looked at
	Tries     []Try

	unlisted bool // Table.Stories lacks it, there being no room
	missed   bool // and it is counted
}

// Opens reports whether the datagrams of the pair show that a connection of a protocol is
// opened.
func (s *Story) Opens(protocol string) bool {
	return slices.ContainsFunc(s.Tries, func(t Try) bool { return t.Opened && t.Protocol == protocol })
}

// Guess is the protocol that the pair most likely speaks, and what speaks for it, in
// bits, "" when there is none.
func (s *Story) Guess() (protocol string, bits float64) {
	for _, t := range s.Tries {
		if !t.Hopeless && (t.Held > bits || t.Held == bits && bits == 0 && s.Opens(t.Protocol)) {
			protocol, bits = t.Protocol, t.Held
		}
	}
	return protocol, bits
}

// Tells reports whether the story says which protocol the pair most likely speaks, or that
// it was answered by ICMP.
func (s *Story) Tells() bool {
	guess, bits := s.Guess()
	return bits >= EnoughToGuess || s.Opens(guess) || s.Notices > 0
}

// A Try is what the probe of one protocol made of a pair.
type Try struct {
	Protocol string
	Held     float64  // gathered
	Hopeless bool     // it can't be the protocol
	Opened   bool     // something shows that a connection is opened
	Reasons  []Reason // when Config.Explain is set
}
