package seq

// Horizon is that of reordering for both sides, see Evaluation.Horizon.
func (d *Direction) Horizon() int64 {
	late, trip := d.late, d.minRTT
	if d.peer != nil {
		late, trip = max(late, d.peer.late), trip+d.peer.minRTT
	}
	return max(CopyHorizon, trip/2, late*3/2)
}
