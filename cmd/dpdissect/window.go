package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/pipeline"
)

// A moment is a time of --from or --to.
type moment struct {
	text  string
	fixed int64         // ns since 1970, where kind says so
	of    time.Duration // since the start, or since midnight
	kind  momentKind
}

type momentKind uint8

const (
	noMoment   momentKind = iota
	instant               // RFC 3339
	timeOfDay             // on the capture's first day
	sinceStart            // of the capture
)

func (m *moment) String() string { return m.text }
func (m *moment) Type() string   { return "TIME" }
func (m *moment) Set(s string) error {
	*m = moment{text: s}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil && t.Year() >= 1678 && t.Year() < 2262 {
		m.kind, m.fixed = instant, t.UnixNano()
		return nil
	}
	for _, layout := range []string{"15:04:05", "15:04"} { // both take fractions of the seconds they have
		if t, err := time.Parse(layout, s); err == nil {
			m.kind = timeOfDay
			m.of = t.Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC))
			return nil
		}
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && n >= 0 && n < 1e9 {
		m.kind, m.of = sinceStart, time.Duration(math.Round(n*1e9))
		return nil
	}
	return fmt.Errorf("want a time such as 2026-01-31T12:00:00Z, 12:00:00.5 or 12:00 on the first day, or seconds since the start")
}

// at gives the moment in a capture by the time of its first packet, nil when there is none.
func (m *moment) at(zone *time.Location) func(first int64) int64 {
	switch m.kind {
	case noMoment:
		return nil
	case instant:
		return func(int64) int64 { return m.fixed }
	case sinceStart:
		return func(first int64) int64 { return first + int64(m.of) }
	}
	var known bool // the first packet is the same for all that ask
	var day int64
	return func(first int64) int64 {
		if !known {
			t := time.Unix(0, first).In(zone)
			clock := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, zone).Add(m.of)
			known, day = true, clock.UnixNano()
		}
		return day
	}
}

// A span is the flags --from and --to.
type span struct{ from, to moment }

func (s *span) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&s.from, "from", "count and show only packets from `TIME` on: RFC 3339, HH:MM:SS on the capture's first day in the time zone of -t, or seconds since the start")
	f.Var(&s.to, "to", "count and show only packets before `TIME`; state is still tracked from the start")
}

func (s *span) given() bool { return s.from.kind != noMoment || s.to.kind != noMoment }

// check refuses a span that ends before it begins, where that shows without a capture.
func (s *span) check() error {
	x, y := &s.from, &s.to
	if x.kind != noMoment && x.kind == y.kind && (x.fixed > y.fixed || x.of > y.of || x.fixed == y.fixed && x.of == y.of) {
		return exit.Usagef("--from %s is not before --to %s: nothing is between them", x.text, y.text)
	}
	return nil
}

// words is the span for people: "from 12:00 to 12:05".
func (s *span) words() string {
	var words []string
	for _, x := range []struct {
		word string
		m    *moment
	}{{"from", &s.from}, {"to", &s.to}} {
		switch x.m.kind {
		case noMoment:
		case sinceStart:
			words = append(words, x.word, x.m.text+" s after the start")
		default:
			words = append(words, x.word, x.m.text)
		}
	}
	return strings.Join(words, " ")
}

// checkSpan refuses the span where a report tells of all that has come up to now.
func (in *input) checkSpan() error {
	if in.span.given() && (in.Live() || in.Follow) {
		return exit.Usagef("--from and --to need a capture that is read to its end, not -i or --follow")
	}
	return nil
}

// zone is that of times of the day: local where -t shows local times, else UTC. What a
// configuration says is for text that people read: it changes no record that a program makes.
func (in *input) zone() *time.Location {
	text := in.format.Value == "text" || in.format.Value == "markdown"
	if in.time.Local() && (text || !in.timeFromFile) {
		return time.Local
	}
	return time.UTC
}

// window gives the span; nil when there is none.
func (in *input) window() *pipeline.Window {
	s := &in.span
	if !s.given() {
		return nil
	}
	zone := in.zone()
	return &pipeline.Window{From: s.from.at(zone), To: s.to.at(zone)}
}
