// Package trigger says when a flight recorder must keep what it has: an expression
// of events and measures of a connection, such as
//
//	cut-off or finding.error or loss > 5% for 5s
//
// Words are joined with and, or, not and parentheses; and binds tighter than or. A
// measure may have to be beyond its limit for some time.
package trigger

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// Facts are what is known of one connection at a moment: what happened since the
// moment before, and how it does now.
type Facts struct {
	Connected    bool // it was recognised
	Disconnected bool // it was closed, reset or refused, or timed out
	Reset        bool // it was closed abruptly
	TimedOut     bool
	CutOff       bool      // it ended otherwise than its sides wanted: nobody left in order, or declined
	Findings     [3]uint64 // new ones: error, warn, note
	Malformed    uint64    // datagrams that could not be decoded
	BadSignature uint64
	Dropped      uint64 // packets that the capture lost; of no connection

	Time int64 // of this moment, ns
	Held *Held // of this connection; nil where nothing lasts

	// Measures have no value while there is nothing to measure.
	Loss     Measure // of the worse side, in percent, where LossCounts
	Retries  Measure // of what both sides sent, in percent
	Quality  Measure // of the worse side, in percent
	Ping     Measure // of the worse side, ms
	Jitter   Measure // of the worse side, ms
	InFlight Measure // of the worse side, numbers
	Rate     Measure // of both sides, bytes a second
}

// A Held is since when measures of one connection are beyond their limits, by the
// places of these in an expression: in ns, 0 while they are not.
type Held struct{ since []int64 }

// LossCounts reports whether so many losses, of so many transmissions, say something about
// a path: one of ten is chance.
func LossCounts(lost, sent uint64) bool { return sent >= 50 || lost >= 3 }

// A Measure is a number that may not be known.
type Measure struct {
	Value float64
	Known bool
}

// A word is an event or a measure of the language.
type word struct {
	name  string
	means string
	event func(f *Facts) bool
	value func(f *Facts) Measure
	unit  string // of value: "%", "ms" or ""
}

var words = []word{
	{name: "connect", means: "a connection was recognised", event: func(f *Facts) bool { return f.Connected }},
	{name: "disconnect", means: "a connection ended in any way", event: func(f *Facts) bool { return f.Disconnected }},
	{name: "reset", means: "a connection ended abruptly", event: func(f *Facts) bool { return f.Reset }},
	{name: "timeout", means: "packets stayed unanswered past the time to give up", event: func(f *Facts) bool { return f.TimedOut }},
	{name: "cut-off", means: "a connection ended, and no side left in order", event: func(f *Facts) bool { return f.CutOff }},
	{name: "finding", means: "a rule of any severity was broken", event: func(f *Facts) bool { return f.Findings != [3]uint64{} }},
	{name: "finding.note", means: "a rule of severity note or higher was broken", event: func(f *Facts) bool { return f.Findings != [3]uint64{} }},
	{name: "finding.warn", means: "a rule of severity warn or error was broken", event: func(f *Facts) bool { return f.Findings[0]+f.Findings[1] > 0 }},
	{name: "finding.error", means: "a rule of severity error was broken", event: func(f *Facts) bool { return f.Findings[0] > 0 }},
	{name: "malformed", means: "a datagram could not be decoded", event: func(f *Facts) bool { return f.Malformed > 0 }},
	{name: "bad-signature", means: "a signature is invalid", event: func(f *Facts) bool { return f.BadSignature > 0 }},
	{name: "drops", means: "the capture lost packets", event: func(f *Facts) bool { return f.Dropped > 0 }},
	{name: "loss", unit: "%", means: "share missing or resent in 10 s, once 50 were sent or 3 lost", value: func(f *Facts) Measure { return f.Loss }},
	{name: "retries", unit: "%", means: "share of retries in the last 10 s", value: func(f *Facts) Measure { return f.Retries }},
	{name: "quality", unit: "%", means: "share first sent and in order, of the worse side", value: func(f *Facts) Measure { return f.Quality }},
	{name: "ping", unit: "ms", means: "round trip of the worse side", value: func(f *Facts) Measure { return f.Ping }},
	{name: "jitter", unit: "ms", means: "its variation", value: func(f *Facts) Measure { return f.Jitter }},
	{name: "in_flight", means: "numbers without acknowledgement, of the worse side", value: func(f *Facts) Measure { return f.InFlight }},
	{name: "throughput", means: "bytes a second of both sides", value: func(f *Facts) Measure { return f.Rate }},
}

// Words lists the language, for help: a name with its unit, and what it means.
func Words() (list [][2]string) {
	for i := range words {
		w := &words[i]
		name := w.name
		if w.value != nil {
			name = strings.TrimSpace(name + " > N" + w.unit)
		}
		list = append(list, [2]string{name, w.means})
	}
	return list
}

// A Trigger is a compiled expression.
type Trigger struct {
	text string
	root node
}

func (t *Trigger) String() string { return t.text }

// A Reason is a part of an expression that made it true.
type Reason struct {
	Word  string // "loss"
	Text  string // "loss 7.5%"
	Event bool   // it happened at this moment; otherwise it may last
}

// Match judges a connection at a moment. The reasons name what made it true; a
// negation has none.
func (t *Trigger) Match(f *Facts) (reasons []Reason, ok bool) {
	return t.root.eval(f)
}

// A node is a part of an expression.
type node interface {
	eval(f *Facts) (reasons []Reason, ok bool)
}

type both struct{ a, b node }
type either struct{ a, b node }
type not struct{ a node }
type happened struct{ w *word }
type compared struct {
	w     *word
	op    string
	limit float64
	hold  int64 // ns for which it must be so
	place int   // among those with a time, in Held
}

func (n both) eval(f *Facts) ([]Reason, bool) {
	r, ok := n.a.eval(f)
	more, and := n.b.eval(f) // in any case: it may note since when it is so
	if !ok || !and {
		return nil, false
	}
	return append(r, more...), true
}

func (n either) eval(f *Facts) ([]Reason, bool) {
	r, ok := n.a.eval(f)
	more, and := n.b.eval(f)
	if !ok {
		r = nil
	}
	if and {
		r = append(r, more...)
	}
	return r, ok || and
}

func (n not) eval(f *Facts) ([]Reason, bool) {
	_, ok := n.a.eval(f)
	return nil, !ok
}

func (n happened) eval(f *Facts) ([]Reason, bool) {
	if !n.w.event(f) {
		return nil, false
	}
	return []Reason{{n.w.name, n.w.name, true}}, true
}

func (n compared) eval(f *Facts) ([]Reason, bool) {
	m := n.w.value(f)
	if !n.lasts(f, m.Known && syntax.Compare(m.Value, n.op, n.limit)) {
		return nil, false
	}
	text := fmt.Sprintf("%s %s%s", n.w.name, strconv.FormatFloat(m.Value, 'g', 3, 64), n.w.unit)
	if n.hold > 0 {
		text += " for " + time.Duration(n.hold).String()
	}
	return []Reason{{Word: n.w.name, Text: text}}, true
}

// lasts notes whether the comparison holds now, and reports whether it does for as long
// as it must.
func (n compared) lasts(f *Facts, now bool) bool {
	if n.hold == 0 || f.Held == nil {
		return now && n.hold == 0
	}
	h := f.Held
	for len(h.since) <= n.place {
		h.since = append(h.since, 0)
	}
	switch since := &h.since[n.place]; {
	case !now:
		*since = 0
		return false
	case *since == 0 || f.Time < *since: // or the clock was set back
		*since = f.Time
	}
	return f.Time-h.since[n.place] >= n.hold
}
