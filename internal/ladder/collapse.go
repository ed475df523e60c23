package ladder

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// worthwhile is how many like frames make a run.
const worthwhile = 3

// newsworthy are the words that make a frame worth a row of its own.
const newsworthy = dissect.Retry | dissect.UnneededRetry | dissect.Duplicate | dissect.OutOfOrder | dissect.Gap | dissect.GapFilled |
	dissect.AckOfUncaptured | dissect.WindowFull | dissect.Handshake | dissect.Close | dissect.NewConnection | dissect.BadSignature | dissect.Malformed

// plain reports a frame of which there is nothing to say but what it is.
func (r *Row) plain() bool {
	return r.Kind == Frame && r.Words&newsworthy == 0 && r.RetryOf == 0 && r.Fault == "" && r.Type != "" &&
		len(r.Findings) == 0 && len(r.Proof) == 0 && len(r.Notices) == 0 && !r.Focus
}

// A likeness is what the frames of a run have in common.
type likeness struct {
	from  int
	typ   string
	words dissect.Words
}

func (r *Row) likeness() likeness {
	return likeness{r.From, r.Type, r.Words &^ (dissect.Ack | dissect.UnverifiedSignature)}
}

// collapse makes runs of like frames. Where frames of several kinds take turns, as data and
// its acknowledgements do, each kind makes a run of its own; a run never goes on behind a
// row that tells something.
func collapse(rows []Row) (out []Row) {
	for i := 0; i < len(rows); {
		if !rows[i].plain() {
			out = append(out, rows[i])
			i++
			continue
		}
		end := i
		for end < len(rows) && rows[end].plain() {
			end++
		}
		out = append(out, runs(rows[i:end])...)
		i = end
	}
	return out
}

// runs are plain frames in a row, like ones put together.
func runs(rows []Row) (out []Row) {
	of := map[likeness][]int{}
	for i := range rows {
		k := rows[i].likeness()
		of[k] = append(of[k], i)
	}
	for i := range rows {
		switch list := of[rows[i].likeness()]; {
		case len(list) < worthwhile:
			out = append(out, rows[i])
		case list[0] == i:
			out = append(out, merged(rows, list))
		}
	}
	slices.SortStableFunc(out, func(a, b Row) int { return cmp.Compare(a.Frame(), b.Frame()) })
	return out
}

// merged is the run of the frames at some places.
func merged(rows []Row, places []int) Row {
	r := rows[places[0]]
	r.Kind, r.AckedIn, r.Acks, r.Frames = Run, 0, nil, make([]uint64, 0, len(places))
	r.Length, r.Datagrams, r.Acked, r.Awaits = 0, 0, 0, 0
	var widest, latest int64
	for n, i := range places {
		x := &rows[i]
		r.Frames = append(r.Frames, x.Frame())
		r.Length, r.Datagrams, r.Acked, r.Awaits = r.Length+x.Length, r.Datagrams+x.Datagrams, r.Acked+x.Acked, r.Awaits+x.Awaits
		r.Words |= x.Words
		r.Last, r.HasNumber = x.Last, r.HasNumber && x.HasNumber
		if n > 0 && x.HasTime {
			widest = max(widest, x.Time-latest)
		}
		latest = max(latest, x.Time)
	}
	r.Until = latest
	r.Label = runLabel(&r, widest)
	return r
}
