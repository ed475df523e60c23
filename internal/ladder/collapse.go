package ladder

import "github.com/dpdissect/dpdissect/dissect"

// worthwhile is the number of like frames that make a run.
const worthwhile = 3

// newsworthy are the words that make a frame worth a row of its own.
const newsworthy = dissect.Retry | dissect.UnneededRetry | dissect.Duplicate | dissect.OutOfOrder | dissect.Gap | dissect.GapFilled |
	dissect.AckOfUncaptured | dissect.WindowFull | dissect.Handshake | dissect.Close | dissect.NewConnection | dissect.BadSignature | dissect.Malformed

// plain reports a frame of which there is nothing to say but what it is.
func (r *Row) plain() bool {
	return (r.Kind == Frame || r.Way.plain()) && r.Words&newsworthy == 0 && r.RetryOf == 0 && r.Fault == "" && r.Type != "" &&
		len(r.Findings) == 0 && len(r.Proof) == 0 && len(r.Notices) == 0 && !r.Focus
}

// A likeness is what the frames of a run have in common.
type likeness struct {
	from  dissect.Dir
	typ   string
	words dissect.Words
	queue int64 // of a pair of captures, in steps
}

func (r *Row) likeness() likeness {
	return likeness{r.From, r.Type, r.Words &^ (dissect.Ack | dissect.UnverifiedSignature), r.Way.step()}
}

// collapse makes runs of like frames. Where frames of several kinds take turns, as data and
// its acknowledgements do, each kind makes a run of its own; a run never goes on past a
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
	wait := widest(rows) // told by the first run
	for i := range rows {
		switch list := of[rows[i].likeness()]; {
		case len(list) < worthwhile:
			out = append(out, rows[i])
		case list[0] == i:
			out = append(out, merged(rows, list, wait))
			wait = 0
		}
	}
	return out
}

// widest is the longest time between two frames in a row.
func widest(rows []Row) (gap int64) {
	for i := 1; i < len(rows); i++ {
		if rows[i].HasTime && rows[i-1].HasTime {
			gap = max(gap, rows[i].Time-rows[i-1].Time)
		}
	}
	return gap
}

// merged is the run of the frames at some places, which tells how long pauses are in it.
func merged(rows []Row, places []int, wait int64) Row {
	r := rows[places[0]]
	r.Kind, r.AckedIn, r.Acks, r.Frames = Run, 0, nil, make([]uint64, 0, len(places))
	r.Length, r.Datagrams, r.Acked, r.Awaits = 0, 0, 0, 0
	r.Members = make([]Row, 0, len(places))
	for _, i := range places {
		x := &rows[i]
		r.Frames, r.Members = append(r.Frames, x.Frame()), append(r.Members, *x)
		r.Length, r.Datagrams, r.Acked, r.Awaits = r.Length+x.Length, r.Datagrams+x.Datagrams, r.Acked+x.Acked, r.Awaits+x.Awaits
		r.Words |= x.Words
		r.Last, r.HasNumber = x.Last, r.HasNumber && x.HasNumber
		r.Until = max(r.Until, x.Time)
	}
	r.Label = runLabel(&r, wait)
	return r
}
