package record

import "github.com/dpdissect/dpdissect/internal/capture"

// A tally is what statistics of an interface are made of. Those of the files of a
// ring add up: what one file told, be it by packets or by statistics, no other tells
// again.
type tally struct {
	taken   uint64 // packets since the last file ended, those skipped included
	told    uint64 // drops that packets of this file tell
	carried uint64 // drops of skipped packets that none has told yet
	says    bool   // packets of the interface do tell drops

	received, dropped uint64 // by the statistics of the files before
}

// took counts a packet that was written.
func (t *tally) took(rec *capture.Record) {
	t.taken++
	t.carried = 0
	if rec.HasDrops {
		t.says, t.told = true, t.told+rec.Drops
	}
}

// statistics writes what became of the packets of all interfaces. final says that no
// file will follow.
func (r *Recorder) statistics(final bool) error {
	if r.opts.Format != "pcapng" {
		return nil
	}
	for i := range r.tallies {
		t := &r.tallies[i]
		s, ok := t.sum(r.opts.Stats, i, final, r.opts.PacketDrops)
		if !ok {
			t.taken, t.told, t.carried = 0, 0, 0
			continue
		}
		s.Start, s.End = max(r.base, 0), max(r.end(), r.base, 0)
		s.Filtered = r.opts.Interfaces[i].Filter != ""
		if err := r.w.Statistics(i, s); err != nil {
			return err
		}
		t.received, t.dropped = t.received+s.Received, t.dropped+s.Dropped
		t.taken, t.told, t.carried = 0, 0, 0
	}
	return nil
}

// end is until when the file holds all packets that came, as far as that is known.
func (r *Recorder) end() int64 {
	if r.opts.Heard == nil {
		return r.last
	}
	return max(r.newest, r.opts.Heard())
}

// sum gives the counts of one file; false when nothing is known of drops. Of a file
// that is not the last, packets that wait to be read are no part.
func (t *tally) sum(stats Stats, iface int, final, packetDrops bool) (s capture.Statistics, ok bool) {
	received, dropped, ok := uint64(0), uint64(0), false
	if stats != nil {
		received, dropped, ok = stats(iface)
	}
	s.Dropped = t.told + t.carried
	if ok && (final || !packetDrops) {
		s.Dropped = max(s.Dropped, less(dropped, t.dropped))
	}
	s.Received = t.taken + s.Dropped
	if ok && final {
		s.Received = max(s.Received, less(received, t.received))
	}
	return s, ok || t.says
}

// untold reports whether drops are known that no file tells of.
func (r *Recorder) untold() bool {
	if r.opts.Format != "pcapng" {
		return false
	}
	for i := range r.tallies {
		if s, ok := r.tallies[i].sum(r.opts.Stats, i, true, r.opts.PacketDrops); ok && s.Dropped > 0 {
			return true
		}
	}
	return false
}

// less is a - b, 0 when b is more.
func less(a, b uint64) uint64 { return a - min(a, b) }
