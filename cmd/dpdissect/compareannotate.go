package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/annotate"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/pipeline"
)

// A joined is both captures of a comparison on their way into one file.
type joined struct {
	r       *compare.Comparison
	points  []pointFiles
	files   [2]string   // annotated captures of each point, for a time
	times   [2][]int64  // of the packets of each, on the axis and never running backward
	numbers [2][]uint32 // of them in the file that is made
}

// annotateBoth writes the packets of both points into one pcapng, each with what is known of it.
func (c *compareCommand) annotateBoth(cmd *cobra.Command, points []pointFiles, r *compare.Comparison, guard *outfile.Guard) error {
	f, err := outfile.Create(c.annotate, outfile.Private, guard)
	if err != nil {
		return notWritten("--annotate", err)
	}
	j := &joined{r: r, points: points}
	err = c.annotateEach(cmd, j)
	if err == nil {
		err = j.write(f.File())
	}
	for _, name := range j.files {
		if name != "" {
			os.Remove(name)
		}
	}
	if err != nil {
		f.Abort()
		return notWritten("--annotate", err)
	}
	return f.Commit()
}

// annotateEach annotates each capture into a file of its own.
func (c *compareCommand) annotateEach(cmd *cobra.Command, j *joined) error {
	shared := c.same.shared
	defer func() { c.same.shared, c.Blocks = shared, false }()
	c.Blocks = true
	for i, p := range j.points {
		f, err := os.CreateTemp("", "dpdissect-*.pcapng")
		if err != nil {
			return err
		}
		j.files[i] = f.Name()
		c.same.shared = &destination{Writer: f}
		err = c.annotateOne(cmd, p)
		if err = cmp.Or(err, f.Close()); err != nil && !exit.Told(err) {
			return err
		}
		if err := j.readTimes(i); err != nil {
			return err
		}
	}
	j.number()
	return nil
}

func (c *compareCommand) annotateOne(cmd *cobra.Command, p pointFiles) error {
	run, err := c.open(cmd, p.files, true)
	if err != nil {
		return err
	}
	printer := annotate.New(annotate.Options{Join: len(p.files) > 1, Application: "dpdissect " + buildVersion().Version})
	q := pipeline.NewQueue(run.out, printer)
	q.Notes = true
	printer.Attach(&run.run, q)
	if err = run.doWith(q, printer.Err); err == nil {
		q.Append(func(dst []byte) []byte { return printer.Finish(dst, run.run.Source) })
		err = cmp.Or(q.Flush(), printer.Err())
	}
	run.stop()
	run.run.Source.Close()
	return err
}

// packets calls f with the packets of an annotated capture.
func (j *joined) packets(i int) (next func() *capture.Record, done func(), err error) {
	src, err := capture.Open([]string{j.files[i]}, capture.Options{})
	if err != nil {
		return nil, nil, err
	}
	return func() *capture.Record {
		rec, ok := src.NextRecord()
		if !ok {
			return nil
		}
		return rec
	}, func() { src.Close() }, nil
}

func (j *joined) readTimes(i int) error {
	next, done, err := j.packets(i)
	if err != nil {
		return err
	}
	defer done()
	last := int64(0)
	for rec, frame := next(), uint64(1); rec != nil; rec, frame = next(), frame+1 {
		t := j.r.Packet(i, frame, rec.Time).Time
		last = max(last, t)
		j.times[i] = append(j.times[i], last)
	}
	return nil
}

// number gives all packets their numbers, by time.
func (j *joined) number() {
	n := uint32(0)
	for a, b := 0, 0; a < len(j.times[0]) || b < len(j.times[1]); {
		n++
		if b == len(j.times[1]) || a < len(j.times[0]) && j.times[0][a] <= j.times[1][b] {
			j.numbers[0] = append(j.numbers[0], n)
			a++
		} else {
			j.numbers[1] = append(j.numbers[1], n)
			b++
		}
	}
}

// write writes the packets in their order.
func (j *joined) write(f *os.File) error {
	w, err := capture.NewWriter(f, capture.WriterOptions{Format: "pcapng", Nanoseconds: true, Application: "dpdissect " + buildVersion().Version})
	if err != nil {
		return err
	}
	var next [2]func() *capture.Record
	var recs [2]*capture.Record
	for i := range next {
		n, done, err := j.packets(i)
		if err != nil {
			return err
		}
		defer done()
		next[i], recs[i] = n, n()
	}
	type iface struct {
		point int
		link  capture.LinkType
	}
	ids := map[iface]int{}
	for i := range recs { // the interfaces of the points come first, in their order
		if recs[i] != nil {
			ids[iface{i, recs[i].Link}], err = w.AddInterface(capture.Interface{Name: j.points[i].name, Link: recs[i].Link})
			if err != nil {
				return err
			}
		}
	}
	var at [2]int
	for recs[0] != nil || recs[1] != nil {
		i := 0
		if recs[0] == nil || recs[1] != nil && j.numbers[1][at[1]] < j.numbers[0][at[0]] {
			i = 1
		}
		rec := recs[i]
		k := iface{i, rec.Link}
		id, ok := ids[k]
		if !ok {
			if id, err = w.AddInterface(capture.Interface{Name: j.points[i].name, Link: rec.Link}); err != nil {
				return err
			}
			ids[k] = id
		}
		rec.Interface = id
		j.tell(i, at[i], rec)
		if err := w.Write(rec); err != nil {
			return err
		}
		at[i]++
		recs[i] = next[i]()
	}
	return w.Flush()
}

// tell adds what the comparison knows to the comment of a packet, and puts it on the axis.
func (j *joined) tell(i, at int, rec *capture.Record) {
	x := j.r.Packet(i, uint64(at+1), rec.Time)
	var b strings.Builder
	fmt.Fprintf(&b, "frame=%d point=%d", at+1, i+1)
	if x.Told {
		fmt.Fprintf(&b, " fate=%s", x.Fate)
		if x.Other != 0 && int(x.Other) <= len(j.numbers[1-i]) {
			fmt.Fprintf(&b, " other=%d", j.numbers[1-i][x.Other-1])
		}
		if x.OneWay != "" {
			fmt.Fprintf(&b, " one_way_ms=%s", x.OneWay)
		}
	}
	if rec.HasTime {
		fmt.Fprintf(&b, " time_orig=%s", time.Unix(0, rec.Time).UTC().Format("2006-01-02T15:04:05.000000000Z"))
	}
	rec.Time, rec.HasTime = x.Time, x.Time != 0
	k := slices.IndexFunc(rec.Comments, func(s string) bool { return strings.HasPrefix(s, annotate.Mark+" ") })
	if k < 0 {
		rec.Comments = append(slices.Clip(rec.Comments), annotate.Mark+" "+b.String())
		return
	}
	line, rest, more := strings.Cut(rec.Comments[k], "\n")
	line += " " + b.String()
	if more {
		line += "\n" + rest
	}
	rec.Comments = slices.Clone(rec.Comments)
	rec.Comments[k] = line
}
