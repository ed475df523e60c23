package session

import "github.com/dpdissect/dpdissect/dissect"

// Replay makes a provisional frame, which is believed now, the one at hand: a connection's
// rules judge it until Resume gives them back the one that really is. It was counted when
// it came.
func (c *Conn) Replay(d *dissect.Datagram) *dissect.Frame {
	dir := c.DirOf(d)
	fr := &dissect.Frame{Datagram: d, Protocol: c.Protocol.Name, Connection: -1, Direction: 'a' + byte(dir)}
	c.Rules.fr, c.Rules.dir, c.quality.fr, c.quality.dir = fr, dir, fr, dir
	return fr
}

// Resume ends what Replay began.
func (c *Conn) Resume(fr *dissect.Frame) {
	dir := c.DirOf(fr.Datagram)
	c.Rules.fr, c.Rules.dir, c.quality.fr, c.quality.dir = fr, dir, fr, dir
}
