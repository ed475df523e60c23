package session

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
)

// Internal are the internal errors of a capture.
func (t *Table) Internal() []InternalError { return t.internal }

// Rescue, called by a deferred function with what a panic gave, keeps it within the
// address pair whose datagram Add was handling: then the next one may be added. It is
// for the caller to defer, once for many datagrams, because that costs time for each.
// It reports false when Add handled none.
func (t *Table) Rescue(reason any) bool {
	f, d := t.flowNow, t.given
	if f == nil {
		return false
	}
	t.flowNow = nil
	t.rescue(f, d, reason)
	return true
}

// rescue ends what a pair is followed by, and tells why.
func (t *Table) rescue(f *Flow, d *dissect.Datagram, reason any) {
	e := InternalError{Frame: t.frameNow, Message: fmt.Sprintf("%v (%s)", reason, placeOfPanic())}
	counted := t.abandon(f, &e)
	t.internal = append(t.internal, e)
	if d != nil {
		t.showBroken(f, d, counted)
	}
}

// guard calls what concludes something about an address pair.
func (t *Table) guard(f *Flow, conclude func()) {
	defer func() {
		if reason := recover(); reason != nil {
			t.rescue(f, nil, reason)
		}
	}()
	conclude()
}

// abandon ends the connections of a pair as they stand and makes it plain UDP. It
// gives the connection that the frame at hand was counted in.
func (t *Table) abandon(f *Flow, e *InternalError) (counted *Conn) {
	f.join(decided)
	for _, c := range t.conns {
		if c.flow != f {
			continue
		}
		c.abandon()
		if c == f.at {
			e.Conn, c.Internal = c, e
			if c.LastFrame == e.Frame {
				counted = c
			}
		}
	}
	f.session, f.protocol, f.probes, f.force, f.at = nil, nil, nil, nil, nil
	f.released, f.summedUp, f.possible = true, false, ""
	return counted
}

// abandon ends a connection about which nothing can be concluded any more.
func (c *Conn) abandon() {
	if a := c.active; a != nil && a.now != nil && *a.now < State(len(stateNames)) {
		c.State, c.ClosedBy = c.stateSeen()
	}
	for i := range c.Dir {
		c.Dir[i].Rescue()
	}
	c.leave()
}

// showBroken shows the datagram that met an internal error, and what was held
// before it.
func (t *Table) showBroken(f *Flow, d *dissect.Datagram, counted *Conn) {
	defer func() {
		if reason := recover(); reason != nil {
			t.internal = append(t.internal, InternalError{Frame: d.Frame, Message: fmt.Sprintf("%v (%s)", reason, placeOfPanic())})
		}
	}()
	var earlier dissect.Datagram
	for _, h := range f.takeHeld() {
		if h.frame < d.Frame {
			t.plain(f, f.restore(&earlier, &h))
		}
	}
	if counted == nil {
		t.plain(f, d)
	} else if d.Kind == dissect.UDP {
		t.show(t.frame(d, counted.Protocol.Name), counted)
	}
}

// placeOfPanic is the function of this program that panicked, with its file and
// line, asked for while a deferred function recovers.
func placeOfPanic() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	panicked := false
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "runtime.") {
			panicked = panicked || f.Function == "runtime.gopanic"
		} else if panicked {
			return fmt.Sprintf("%s:%d", shortPath(f.File), f.Line)
		}
		if !more {
			return "place unknown"
		}
	}
}

// shortPath is the package's folder and the file.
func shortPath(path string) string {
	parts := strings.Split(path, "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}
