package seq

import "github.com/dpdissect/dpdissect/dissect"

// Inspect looks at every frame of a side for the rules of Quality.
func (d *Direction) Inspect(fr *dissect.Frame) {
	if len(fr.Payload) == fr.Length && fr.Length <= dissect.LargestPacket-28 && !fr.BadChecksum && fr.Parts == 0 {
		return
	}
	d.ready()
	if fr.Cut() {
		d.signs.seesOdd().Cut.See(fr.Frame, fr.Time)
	}
	if fr.BadChecksum {
		d.signs.seesOdd().BadSum.See(fr.Frame, fr.Time)
	}
	if fr.Oversize() {
		d.signs.seesOdd().Oversize.See(fr.Frame, fr.Time)
		d.long.see(fr)
	}
	if fr.Parts > 0 {
		d.signs.seesOdd().Parts.See(fr.Frame, fr.Time)
		if fr.Part == 0 {
			d.signs.seesOdd().Apart.See(fr.Frame, fr.Time)
		}
	}
}

// Cuts is how many datagrams of the side the capture cut.
func (d Quality) Cuts() uint64 {
	if !d.IsOpen() {
		return 0
	}
	return d.signs.Odd().Cut.N
}

// Signs is what was seen of the side's frames so far, to be read only.
func (d Quality) Signs() *Signs {
	d.ready()
	return &d.signs
}

// SecondPath reports whether a stable share of the side's numbers, between least and most
// percent, was acknowledged and never captured: they take another path. ok is false when
// there were too few numbers to tell.
func (d Quality) SecondPath() (least, most uint32, stable, ok bool) {
	d.ready()
	p := &d.paths
	stable = float64(p.most-p.least) <= pathSpread*pathBlock && float64(p.least) >= pathLeast*pathBlock
	return 100 * p.least / pathBlock, 100 * p.most / pathBlock, stable, p.blocks >= pathBlocks
}

// ClockLead is by how much, at least, the clock that the other side was captured with is
// behind this side's, in ns, 0 when nothing shows that they differ; and how many
// acknowledgements came before what they acknowledge, with the first of these numbers.
func (d Quality) ClockLead() (ns int64, n uint64, first Sign) {
	if !d.clockLeads() {
		return 0, 0, Sign{}
	}
	return d.ahead.most, d.ahead.n, d.ahead.first
}

func (d Quality) clockLeads() bool {
	return d.IsOpen() && d.ahead.n >= leastAhead && d.ahead.n*8 >= d.distinct
}

// ClockDiffers reports that the side was captured with another clock than its peer's
// acknowledgements: these came before what they acknowledge, or far ahead of it.
func (d Quality) ClockDiffers() bool {
	return d.clockLeads() && d.ahead.most > 0 || d.IsOpen() && d.ahead.far >= leastAhead
}

// noteGap keeps when numbers of this side were last passed over. A gap is firm
// when something else than a late first sending shows what was in it.
func (d *Direction) noteGap(at int64, firm bool) {
	if firm {
		d.firmGap, d.firmGapAt = true, max(d.firmGapAt, at)
	} else {
		d.softGap, d.softGapAt = true, max(d.softGapAt, at)
	}
}

// CleanSince reports whether nothing shows that the capture missed frames of this side
// since a time, but for so many missing numbers that the caller knows the reason of.
func (d Quality) CleanSince(since int64, missing uint64) bool {
	switch {
	case d.firmGap && d.firmGapAt >= since:
		return false
	case d.softGap && d.softGapAt >= since:
		return d.Missing() <= max(d.voided, missing)
	}
	return true
}

// Offloaded reports that datagrams of the side were longer than its link carries and
// could not be taken apart: numbers that seem missing may be in them.
func (d *Direction) Offloaded() bool { return d.offloaded }

// Damaged reports a datagram that was damaged on its way: its checksum is wrong
// while others of its side are right. The receiver never saw it, so it is counted
// and touches no state (CAP-SUM). Where all checksums are wrong, the capture was
// edited.
func (d *Direction) Damaged(g *dissect.Datagram) bool {
	if !g.BadChecksum {
		d.verified = d.verified || g.Sum != 0
		return false
	}
	return d.verified
}
