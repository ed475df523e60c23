package report

import (
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

func (e *encoder) direction(k string, c *session.Conn, i int) {
	d := &c.Dir[i]
	e.open(k, '{')
	e.count("frames", d.Frames)
	e.count("bytes", d.Bytes)
	e.count("data_frames", d.DataFrames)
	e.count("acks", d.Acks)
	e.count("retries", d.Retries)
	e.count("sendings", d.Sendings())
	if knowsUnneeded(c) {
		e.count("unneeded_retries", d.UnneededRetries)
	}
	e.count("duplicates", d.Duplicates)
	e.count("out_of_order", d.OutOfOrder)
	e.count("gaps", d.Gaps)
	e.count("missing", d.Missing())
	e.lost(proven(d))
	e.count("messages", d.Messages)
	e.count("message_bytes", d.MessageBytes)
	e.count("incomplete_messages", d.IncompleteMessages)
	e.count("keepalives", d.KeepAlives)
	e.times(d.Times)
	if d.HasSignatures {
		e.signatures(&d.Signatures)
	}
	e.known("dialect", d.Dialect)
	e.close('}')
}

// knowsUnneeded reports whether acknowledgements can be read, so that retries
// of what was acknowledged can be told: everywhere but under encryption.
func knowsUnneeded(c *session.Conn) bool { return c.Dialect != "dtls" }

// losses are the losses of one direction; unknown ones are not known to be 0.
type losses struct {
	seq.Lost
	known       bool // whether the capture lost any can be told
	knownBefore bool
	knownAfter  bool
}

// proven gives the losses of a direction. Nothing can be said while no
// acknowledgement of it was captured.
func proven(d *seq.Direction) losses {
	l := losses{Lost: d.Lost()}
	l.knownBefore, l.knownAfter, l.known = d.ProvesLoss()
	return l
}

func (e *encoder) lost(l losses) {
	e.open("lost", '{')
	if l.knownBefore {
		e.count("before_capture", l.BeforeCapture)
	}
	if l.knownAfter {
		e.count("after_capture", l.AfterCapture)
	}
	if l.known {
		e.count("not_captured", l.NotCaptured)
	}
	e.close('}')
}

// times writes what was measured, by measure.
func (e *encoder) times(of func(seq.Measure) seq.RTT) {
	for m, x := range seq.Measures {
		r := of(seq.Measure(m))
		if r.Samples == 0 {
			continue
		}
		e.open(x.Key, '{')
		e.count("samples", r.Samples)
		e.ms("min_ms", r.Min)
		e.ms("p50_ms", r.P50)
		e.ms("p95_ms", r.P95)
		e.ms("max_ms", r.Max)
		e.close('}')
	}
}

// timesColumns are the columns of what times writes.
func timesColumns() (names []string) {
	for _, x := range seq.Measures {
		for _, part := range []string{"samples", "min_ms", "p50_ms", "p95_ms", "max_ms"} {
			names = append(names, x.Key+"."+part)
		}
	}
	return names
}

func (e *encoder) signatures(s *seq.Signatures) {
	e.open("signatures", '{')
	e.count("valid", s.Valid)
	e.count("invalid", s.Invalid)
	e.count("unverifiable", s.Unverifiable)
	e.close('}')
}
