package seq

// CopyHorizon is how late a byte-identical datagram without an IPv4
// identification may come to be taken for a copy made by the network
// (docs/analysis.md, Units), in nanoseconds.
const CopyHorizon = 30e6

// CopyDoubt is how late equal bytes must come to be called sent twice, in nanoseconds:
// the clock of a capture may be as coarse as CopyHorizon is long.
const CopyDoubt = 2 * CopyHorizon

// StartHorizon is how long after the first frame of a connection whose start
// was not captured a frame of its may still have been overtaken by one that
// passed before the capture began, in nanoseconds: what is missing until then
// was not lost by the capture.
const StartHorizon = 100e6

// Horizon is that of reordering for both sides, see Evaluation.Horizon.
func (d *Direction) Horizon() int64 {
	late, trip := d.late, d.minRTT
	if d.peer != nil {
		late, trip = max(late, d.peer.late), trip+d.peer.minRTT
	}
	return max(CopyHorizon, trip/2, late*3/2)
}
