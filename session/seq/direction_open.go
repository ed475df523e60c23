package seq

// Options say what is wanted of a Direction.
type Options struct {
	Opened    int64 // time of the connection's first frame, ns
	LowMemory bool  // less is remembered of what is some seconds old
	Links     bool  // links between frames are wanted: Listener.Never is called
	Settles   bool  // Listener.Settled is called
	Trips     bool  // Listener.Tripped is called
	Account   bool  // Quality.Account is wanted
	Listener  Listener
}

// A Listener is told what is concluded about what a side sends.
type Listener interface {
	// Never is told of frames that were never acknowledged.
	Never(at Position)
	// Settled is told what was concluded about every number.
	Settled(x Settled)
	// Tripped is told each time that Times summarises, and when the acknowledgement that ended
	// it was captured.
	Tripped(of MeasureSet, at, ns int64)
}

// Work is what a Direction needs while it is open: whoever has many of them uses it again.
type Work struct{ work }

// Open gives a Direction what it needs, before its first frame; peer is what the other side sends.
func (d *Direction) Open(w *Work, peer *Direction, o Options) {
	d.work, d.peer = &w.work, peer
	d.opened, d.links, d.settles, d.trips, d.listener = o.Opened, o.Links, o.Settles, o.Trips, o.Listener
	if o.Account {
		d.account = new(Account)
	}
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
			d.listener.Never(c.at)
		}
	}
	d.win.units, d.win.waiting, d.win.extra = sparse[unit]{}, nil, nil
	d.recent, d.cycles, d.units = recentDatagrams{}, nil, nil
}

// Compact forgets what is remembered of numbers and frames, for a run in which little
// is kept, when the side was silent for long.
func (d *Direction) Compact() {
	if d.work == nil {
		return
	}
	d.win.compact(d)
	if d.units != nil {
		d.units.compact()
	}
	d.recent, d.cycles = recentDatagrams{lowMemory: true}, nil
}

// Free forgets what no report asks for, once it was closed and assessed.
func (d *Direction) Free() {
	if d.IsOpen() {
		d.heard = d.acknowledged()
		d.end = outcome{d.Missing(), d.losses.proven(), d.Transmissions(), d.minRTT, d.times.all()}
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
