package htmlreport

import (
	"encoding/json"
	"strconv"
)

// lanesRecord is the overview as the page reads it.
type lanesRecord struct {
	From    float64      `json:"from_ms"`
	Step    float64      `json:"step_ms"`
	Columns int          `json:"columns"`
	Lanes   []laneRecord `json:"lanes"`
}

type laneRecord struct {
	Connection int    `json:"id"`
	Line       string `json:"line"`
	Kind       string `json:"kind"`
	Bad        bool   `json:"bad"`
	First      int    `json:"first"`
	Runs       string `json:"runs"` // "q3w1c2": three columns quiet, one with waits, two cut off
}

// appendLanes writes the overview.
func appendLanes(b []byte, r *Report) []byte {
	x := lanesRecord{Lanes: []laneRecord{}}
	if l := r.Overview; l != nil {
		x.From, x.Step, x.Columns = float64(l.From)/1e6, float64(l.Step)/1e6, l.Count
	}
	for _, l := range r.Lanes {
		x.Lanes = append(x.Lanes, laneRecord{l.Connection, l.Line, l.Kind, l.Bad, l.first, string(runs(l.cells))})
	}
	text, err := json.Marshal(x)
	if err != nil {
		panic(err) // strings and numbers
	}
	return append(b, text...)
}

// runs writes columns that are alike as a letter and their number.
func runs(cells []Health) (b []byte) {
	for i := 0; i < len(cells); {
		n := i
		for n < len(cells) && cells[n] == cells[i] {
			n++
		}
		b = strconv.AppendInt(append(b, healths[cells[i]]), int64(n-i), 10)
		i = n
	}
	return b
}
