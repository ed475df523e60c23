package seq

// A Part is what of the numbers of a Direction belongs to a span of time.
type Part struct {
	Missing, Transmissions uint64
	Lost                   Lost
	LossUnknown            bool // Lost is not all of it
	Times                  [NMeasures]RTT
}

// Restrict makes a closed Direction report a part of its numbers. The exported counters are
// the caller's to set. Losses stay below what is proven of the whole.
func Restrict(d *Direction, p Part) {
	all := d.Lost()
	p.Lost = Lost{
		BeforeCapture: min(p.Lost.BeforeCapture, all.BeforeCapture),
		AfterCapture:  min(p.Lost.AfterCapture, all.AfterCapture),
		NotCaptured:   min(p.Lost.NotCaptured, all.NotCaptured),
	}
	d.part = &p
}
