package session

import "github.com/dpdissect/dpdissect/dissect"

// Count takes the next frame of the connection and gives its direction: it is counted and becomes
// the one at hand of the rules, and what waited for a later frame is settled first. Trackers call it
// once, before all else; endFrame ends it. Replay, whose frames were counted when they came, calls
// setFrame instead.
func (c *Conn) Count(fr *dissect.Frame) dissect.Dir {
	dir := c.DirOf(fr.Datagram)
	if c.Dir == nil {
		c.reopen()
	}
	fr.Direction = 'a' + byte(dir)
	d := &c.Dir[dir]
	d.Frames++
	d.Bytes += uint64(fr.Length)
	c.LastFrame = fr.Frame
	if fr.HasTime {
		if !c.HasTime {
			c.FirstTime, c.FirstStamp, c.HasTime = fr.Time, fr.Stamp(), true
		}
		c.LastTime, c.LastStamp = fr.Time, fr.Stamp()
	}
	c.decoded++
	if !c.closed {
		c.flow.at, c.active.fr = c, fr
		c.Rules.beginFrame(fr.Datagram, dir)
		c.quality.dir = dir
		d.Inspect(fr)
	} else if c.totals != nil {
		c.totals.decoded++
	}
	return dir
}

// endFrame ends the handling of the connection's latest frame.
func (c *Conn) endFrame() {
	if !c.closed {
		c.active.fr = nil
	}
}

// Malformed is how many of the connection's datagrams could not be decoded, and of how
// many.
func (c *Conn) Malformed() (malformed, of uint64) { return c.malformed, c.decoded }

// Malform counts a decode error; a datagram the capture cut is not malformed.
func (c *Conn) Malform(fr *dissect.Frame, err *dissect.Error) {
	if err == nil {
		return
	}
	fr.Err = err
	if !fr.Cut() {
		fr.Words |= dissect.Malformed
		if c.malformed++; c.totals != nil {
			c.totals.malformed++
		}
	}
}
