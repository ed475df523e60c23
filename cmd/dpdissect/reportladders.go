package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/ladder"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
)

// What a report shows frame by frame: a page is to open at once.
const (
	reportLadders      = 3      // connections
	reportLadderFrames = 20_000 // of all of them together
)

// reportFrames are the ladders of a report.
type reportFrames struct {
	ladder.Several
	long []int // connections that have too many frames
}

// ladders are those of the worst connections, unless they have too many frames.
func (c *reportCommand) ladders(j *job, conns []*session.Conn) (f reportFrames) {
	left := uint64(reportLadderFrames)
	for _, conn := range conns {
		conn.Unpack()
		n := conn.Dir[0].Frames + conn.Dir[1].Frames
		if len(f.Several) == reportLadders {
			break
		}
		if n > left {
			if len(f.long) < reportLadders {
				f.long = append(f.long, conn.ID)
			}
			continue
		}
		left -= n
		f.Several = append(f.Several, ladder.NewCollector(ladder.Options{
			Connection: conn.ID, Clock: c.clock(), Display: pipeline.Display{Window: c.window()},
		}))
	}
	return f
}

// attach makes a run feed the ladders, and find what they tell. The queue is nil where there
// are none.
func (f reportFrames) attach(r *pipeline.Run) *pipeline.Queue {
	if len(f.Several) == 0 {
		new(pipeline.Findings).Attach(r)
		return nil
	}
	r.Config.Endings = true
	f.Configure(&r.Config)
	q := pipeline.NewQueue(io.Discard, f)
	q.Attach(r)
	return q
}

// documents are the ladders as JSON. Words of packets are left out where they are to be
// hidden.
func (f reportFrames) documents(r *pipeline.Run, q *pipeline.Queue, heard int64, hidden bool) (docs [][]byte, err error) {
	if q == nil {
		return nil, nil
	}
	findings := q.Findings()
	story := explain.Tell(r.Conns(), r.Stories(), heard)
	for _, c := range f.Several {
		l := c.Ladder(findings, story)
		if l == nil {
			continue
		}
		if hidden {
			hideLabels(l)
		}
		var doc, short bytes.Buffer
		if err := ladder.WriteWhole(&doc, l); err != nil {
			return nil, err
		}
		if err := json.Compact(&short, doc.Bytes()); err != nil {
			return nil, err
		}
		docs = append(docs, short.Bytes())
	}
	return docs, nil
}

// hideLabels leaves of the labels of frames what they are and their numbers.
func hideLabels(l *ladder.Ladder) {
	hideRows(l.Rows)
}

func hideRows(rows []ladder.Row) {
	for i := range rows {
		r := &rows[i]
		hideRows(r.Members)
		if r.Kind != ladder.Frame && r.Kind != ladder.Loss || r.Type == "" {
			continue
		}
		if r.Label = r.Type; r.HasNumber {
			r.Label += fmt.Sprintf(" %d", r.Number)
		}
	}
}
