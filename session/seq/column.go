package seq

// A Column holds what a protocol knows of the numbers of a side beside what the engine remembers of
// them: an X for each number, for as long as the number is remembered. It has no policy of its own;
// numbers come and go with the Window.
type Column[X any] struct {
	pages []*[pageSize]X // page i goes with page i of the window's table
	spare *[pageSize]X   `state:"-"`
}

// At gives the X of a number, and what the engine remembers of it; nil where there is none.
func (c *Column[X]) At(d *Direction, n Num) (*X, Known) {
	if d.work == nil {
		return nil, Known{}
	}
	w := &d.win
	if uint64(n-w.base) >= uint64(w.top-w.base) {
		return nil, Known{}
	}
	k, i := w.units.index(n), uint64(n)%pageSize
	l := &w.units.table[k]
	if l.beside>>i&1 == 0 {
		return nil, Known{}
	}
	if len(c.pages) != len(w.units.table) {
		c.follow(w)
	}
	return &c.pages[k][i], Known{&l.places[i]}
}

// Add says that columns know a number from now on, and gives its place, and what the engine remembers of
// it; fresh says that they did not before, so that places have to be written. It gives nil for a number
// that the engine does not remember.
func (c *Column[X]) Add(d *Direction, n Num) (x *X, known Known, fresh bool) {
	if d.work == nil || !d.win.holds(n) {
		return nil, known, false
	}
	w := &d.win
	at, i := w.units.index(n), uint64(n)%pageSize
	l := &w.units.table[at]
	if l.used>>i&1 == 0 {
		return nil, known, false
	}
	fresh = l.beside>>i&1 == 0
	l.beside |= 1 << i
	if len(c.pages) != len(w.units.table) || c.pages[at] == nil {
		c.begin(w, at)
	}
	return &c.pages[at][i], Known{&l.places[i]}, fresh
}

// Place gives the place of a number that the window describes. What is there may be of a number that
// had the place before.
func (c *Column[X]) Place(d *Direction, n Num) *X {
	w := &d.win
	at := w.units.index(n)
	if len(c.pages) != len(w.units.table) || c.pages[at] == nil {
		c.begin(w, at)
	}
	return &c.pages[at][uint64(n)%pageSize]
}

// begin makes the page at a place of the window's table.
func (c *Column[X]) begin(w *Window, at uint64) {
	if len(c.pages) != len(w.units.table) {
		c.follow(w)
	}
	page := &c.pages[at]
	if *page == nil {
		if *page, c.spare = c.spare, nil; *page == nil {
			*page = new([pageSize]X)
		}
	}
}

// Forget says that columns know nothing any longer of the numbers from one to another, but for those that
// share a page with what follows.
func (c *Column[X]) Forget(d *Direction, from, to Num) {
	if d.work == nil {
		return
	}
	w := &d.win
	for n := max(from, w.base, w.top-w.units.size()+pageSize-1) &^ (pageSize - 1); n+pageSize <= min(to, w.top); n += pageSize {
		k := w.units.index(n)
		w.units.table[k].beside = 0
		if len(c.pages) == len(w.units.table) && c.pages[k] != nil {
			c.spare, c.pages[k] = c.pages[k], nil
		}
	}
}

// follow makes as many pages as the window has, and puts what is described into its new place.
func (c *Column[X]) follow(w *Window) {
	old := c.pages
	if c.pages = make([]*[pageSize]X, len(w.units.table)); len(old) == 0 {
		return
	}
	for n := w.next(w.base, w.top); n < w.top; n = w.next(n+1, w.top) {
		if was := old[uint64(n)/pageSize&uint64(len(old)-1)]; was != nil && w.units.describes(n) {
			k := w.units.index(n)
			if c.pages[k] == nil {
				c.take(k, was, len(old))
			}
			c.pages[k][uint64(n)%pageSize] = was[uint64(n)%pageSize]
		}
	}
}

// take makes a page of one of the table before, or of none where that is in use for other numbers that had its place.
func (c *Column[X]) take(k uint64, was *[pageSize]X, places int) {
	for i := int(k) & (places - 1); i < len(c.pages); i += places {
		if c.pages[i] == was {
			was = new([pageSize]X)
			break
		}
	}
	c.pages[k] = was
}

// Free gives the room back; nothing may be described then.
func (c *Column[X]) Free() { c.pages = nil }

// Describes reports whether columns know a number.
func (d *Direction) Describes(n Num) bool {
	return d.work != nil && d.win.holds(n) && d.win.units.describes(n)
}

// Undescribe says that columns know a number no longer.
func (d *Direction) Undescribe(n Num) {
	if d.Describes(n) {
		d.win.units.undescribe(n)
	}
}

// UndescribeAll says that columns know nothing any longer.
func (d *Direction) UndescribeAll() {
	if d.work != nil {
		d.win.units.undescribeAll()
	}
}

// SentAt is when the first transmission of a number was captured, ns; ok is false where that is not known.
func (d *Direction) SentAt(n Num) (ns int64, ok bool) {
	const known = captured | firstSending | timed
	if d.work == nil || !d.win.holds(n) {
		return 0, false
	}
	u := d.win.see(n)
	return u.time, u.state&known == known
}

// GaveUp reports whether a number is given up, as far as it is remembered.
func (d *Direction) GaveUp(n Num) bool {
	return d.work != nil && d.win.holds(n) && d.win.see(n).state&givenUp != 0
}

// A Known is what the engine remembers of one number of a side. It is valid until the next call that
// sends or acknowledges.
type Known struct{ u *unit }

// IsValid reports whether the engine remembers it.
func (k Known) IsValid() bool { return k.u != nil }

// IsSentIn reports that it was sent for the first time in a frame.
func (k Known) IsSentIn(frame uint64) bool { return k.u != nil && k.u.frame() == frame && k.First() }

// Frame is the first captured transmission.
func (k Known) Frame() uint64 { return k.u.frame() }

// Time is when that was captured, ns, valid with Timed.
func (k Known) Time() int64 { return k.u.time }

// Timed reports whether the capture has a time for it.
func (k Known) Timed() bool { return k.u.state&timed != 0 }

// Digest is that of the datagram of the first transmission, valid with First.
func (k Known) Digest() uint32 { return k.u.digest }

// Size is the payload of that, in bytes by the UDP header; 65535 stands for more.
func (k Known) Size() int { return int(k.u.size) }

// AckedAt is when the number was acknowledged, ns, 0 while it was not, or where the time is not known.
func (k Known) AckedAt() int64 { return ackedAt(k.u) }

// First reports whether the first transmission was captured, and not only retries.
func (k Known) First() bool { return k.u.state&(captured|firstSending) == captured|firstSending }

// IPID is the IPv4 identification of the first transmission, 0 when it has none.
func (k Known) IPID() uint16 { return k.u.ipid }

// Sends counts the captured transmissions, up to 255; copies that a network made are not counted.
func (k Known) Sends() int { return int(k.u.sends) }

// NoAck reports that its sender asks for no acknowledgement.
func (k Known) NoAck() bool { return k.u.state&noAck != 0 }
