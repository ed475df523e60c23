package seq

// Options say what is wanted of a Direction.
type Options struct {
	Opened    int64 // time of the connection's first frame, ns
	LowMemory bool  // less is remembered of what is some seconds old
	Links     bool  // links between frames are wanted
	Account   bool  // Quality.Account is wanted
	// Never, with Links, is told of frames that were never acknowledged.
	Never func(Position)
	// Settled, when not nil, is told what was concluded about every number.
	Settled func(Settled)
	// Trip, when not nil, is told each time that Times summarises, and when the
	// acknowledgement that ended it was captured.
	Trip func(of MeasureSet, at, ns int64)
}

// Work is what a Direction needs while it is open: whoever has many of them uses it again.
type Work struct{ work }

// Open gives a Direction what it needs, before its first frame; peer is what the other side sends.
func (d *Direction) Open(w *Work, peer *Direction, o Options) {
	d.work, d.peer = &w.work, peer
	d.opened, d.settled, d.links, d.never = o.Opened, o.Settled, o.Links, o.Never
	if o.Account {
		d.account = new(Account)
	}
	d.trip = o.Trip
	if o.LowMemory {
		d.lowMemory()
	}
}

// Close settles everything that is still remembered and frees it.
func (d *Direction) Close() {
	d.ready()
	d.win.retireAll(d)
	for _, c := range d.win.waiting {
		if d.links {
			d.never(c.at)
		}
	}
	d.win.units, d.win.waiting, d.win.extra = sparse[unit]{}, nil, nil
	d.recent, d.cycles, d.units = recentDatagrams{}, nil, units{}
}

// Compact forgets what is remembered of numbers and frames, for a run in which little
// is kept, when the side was silent for long.
func (d *Direction) Compact() {
	if d.work == nil {
		return
	}
	d.win.compact(d)
	d.units.compact()
	d.recent, d.cycles = recentDatagrams{lowMemory: true}, nil
}

// Free forgets what no report asks for, once it was closed and assessed.
func (d *Direction) Free() {
	if d.IsOpen() {
		d.heard = d.acknowledged()
		d.end = outcome{d.Missing(), d.losses.proven(), d.Sendings(), d.minRTT, d.times.all()}
	}
	d.work, d.over = nil, true
}

// Rescue is Free for a side that an internal error may have left in any state.
func (d *Direction) Rescue() {
	defer func() {
		if recover() != nil {
			d.work, d.over = nil, true
		}
	}()
	d.Free()
}

// Abandon forgets what is open without drawing any conclusion.
func (d *Direction) Abandon() { d.work = nil }
