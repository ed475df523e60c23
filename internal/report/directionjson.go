package report

import (
	"strings"

	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// direction writes the counters and times of a direction, in the order of their tables: times
// stand after the counters, and signatures after the times.
func (e *encoder) direction(k string, c *session.Conn, i int) {
	d := &c.Dir[i]
	e.open(k, '{')
	v, known := measure.Of(d), measure.Known(c, d)
	e.counters(&v, known, 0, measure.ValidSignatures)
	e.times(d.Times)
	e.counters(&v, known, measure.ValidSignatures, measure.Counters)
	e.known("dialect", d.Dialect)
	e.close('}')
}

// counters writes those known of the counters from one to before another. The object of
// losses is there in any case, that of signatures with its members.
func (e *encoder) counters(v *measure.Values, known measure.Set, from, end measure.Counter) {
	open := ""
	for i := from; i < end; i++ {
		object, key, within := strings.Cut(measure.Table[i].Key, ".")
		if !within {
			object, key = "", object
		}
		here := known.Has(i)
		if object != open && open != "" {
			e.close('}')
			open = ""
		}
		if object != open && (here || measure.Table[i].Absent == measure.Unknown) {
			e.open(object, '{')
			open = object
		}
		if here {
			e.count(key, uint64(v[i]))
		}
	}
	if open != "" {
		e.close('}')
	}
}

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

// times writes what was measured, by measure.
func (e *encoder) times(of func(seq.Measure) seq.RTT) {
	for m, x := range seq.Measures {
		r := of(seq.Measure(m))
		if r.Samples == 0 {
			continue
		}
		e.open(x.Key, '{')
		e.count(measure.Samples, r.Samples)
		for i := range measure.Statistics {
			s := &measure.Statistics[i]
			e.ms(s.Key, s.Of(&r))
		}
		e.close('}')
	}
}

// timesColumns are the columns of what times writes.
func timesColumns() (names []string) {
	for _, x := range seq.Measures {
		names = append(names, x.Key+"."+measure.Samples)
		for i := range measure.Statistics {
			names = append(names, x.Key+"."+measure.Statistics[i].Key)
		}
	}
	return names
}

// counterColumns are the columns of the counters from one to before another.
func counterColumns(from, end measure.Counter) (names []string) {
	for i := from; i < end; i++ {
		names = append(names, measure.Table[i].Key)
	}
	return names
}
