package seq

// noteGap keeps when numbers of this side were last passed over. A gap is firm
// when something else than a late first sending shows what was in it.
func (d *Direction) noteGap(at int64, firm bool) {
	if firm {
		d.firmGap, d.firmGapAt = true, max(d.firmGapAt, at)
	} else {
		d.softGap, d.softGapAt = true, max(d.softGapAt, at)
	}
}

// Horizon is that of reordering for both sides, see Evaluation.Horizon.
func (d *Direction) Horizon() int64 {
	late, trip := d.late, d.minRTT
	if d.peer != nil {
		late, trip = max(late, d.peer.late), trip+d.peer.minRTT
	}
	return max(CopyHorizon, trip/2, late*3/2)
}

// CleanSince reports whether nothing shows that the capture missed frames of this side
// since a time, but for so many missing numbers that the caller knows the reason of.
func (d *Direction) CleanSince(since int64, missing uint64) bool {
	switch {
	case d.firmGap && d.firmGapAt >= since:
		return false
	case d.softGap && d.softGapAt >= since:
		return d.Missing() <= max(d.voided, missing)
	}
	return true
}
