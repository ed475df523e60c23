package session

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
)

// Said keeps the first reason for which a side closed the connection: its name and the
// text for people, each of which may be empty.
func (c *Conn) Said(name, text string) {
	if c.Reason != "" || c.closed {
		return
	}
	c.Wordless = name+text == ""
	c.Reason = name
	if name != "" && text != "" {
		c.Reason += ": "
	}
	c.Reason += text
}

// unreachable hands an ICMP notice to the session of its pair. It is kept as a proof of
// how the pair's connection ends.
func (t *Table) unreachable(f *Flow, d *dissect.Datagram) {
	c := f.at
	if c != nil && !c.closed {
		if c.Unreachable.See(d.Frame, d.Stamp()); c.Unreachable.N == 1 {
			c.Unreached = Side(2 - c.DirOf(d))
		}
	}
	f.session.Unreachable(d)
	t.notice(d, c)
}

// notice shows an ICMP notice, with the addresses of the datagram it is about.
func (t *Table) notice(d *dissect.Datagram, c *Conn) {
	if !t.shows || !t.cfg.Notices {
		return
	}
	fr := t.frame(d, "icmp")
	fr.Type = "UNREACHABLE"
	if t.cfg.Summaries {
		fr.Summary = fmt.Appendf(fr.Summary, "UNREACHABLE: what %s sent to %s was not delivered", d.Src, d.Dst)
	}
	t.show(fr, c)
	fr.Datagram = nil
}
