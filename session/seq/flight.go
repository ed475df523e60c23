package seq

// A Flight is what one side has sent that waits for its acknowledgement: numbers that were
// captured, are not acknowledged, neither cumulatively nor one by one, and may still be.
type Flight struct {
	Numbers int64
	Bytes   int64 // of UDP payloads, as they were first captured
}

// What waits for an acknowledgement is looked for among so many of the latest
// numbers, and, where numbers are acknowledged one by one, among those captured
// for the first time within so many ns: an older one was given up, or its
// acknowledgement did not pass here.
const (
	maxInFlight = 4096
	flightTime  = 10e9
)

// InFlight is what is in flight now. ok is false when the capture shows no acknowledgement
// of this side, and once it is closed.
func (d *Direction) InFlight() (f Flight, ok bool) {
	if !d.IsOpen() || !d.win.hasCum && d.firstAcks == 0 {
		return Flight{}, false
	}
	return d.win.flight(), true
}

// flight adds up the captured numbers that wait for an acknowledgement. It remembers the
// lowest of them, so that it costs as much as there is in flight.
func (w *Window) flight() (f Flight) {
	if !w.started || w.units.table == nil {
		return f
	}
	from := max(w.base, w.highest+1-maxInFlight, w.oldest)
	if w.hasCum {
		from = max(from, w.cum)
	}
	end := min(w.highest+1, w.top)
	for i := w.next(from, end); i < end; i = w.next(i+1, end) {
		u := w.see(i)
		switch {
		case u.state&(captured|acked|givenUp) == captured && (w.hasCum || u.state&noAck == 0 && w.now-u.time < flightTime):
			f.Numbers++
			f.Bytes += int64(u.size)
		case f.Numbers == 0:
			w.oldest = i + 1
		}
	}
	return f
}
