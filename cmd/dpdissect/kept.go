package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/record"
)

// A keptCapture is the file to which the packets go that are analysed live.
type keptCapture struct {
	recording
	err error // of writing
}

// keep makes every packet of the run be written before it is tracked; nil without -w.
func (c *analyze) keep(j *job) (*keptCapture, error) {
	if c.write == "" {
		return nil, nil
	}
	o := record.Options{Path: c.write, Nanoseconds: true, Filter: c.Filter, Guard: j.files}
	describe(&o, j.run.Source)
	out, err := record.Create(o)
	if err != nil {
		return nil, fmt.Errorf("-w: %w", err)
	}
	k := &keptCapture{recording: recording{src: j.run.Source, out: out, line: &countLine{}}}
	j.run.Before = k.before
	return k, nil
}

func (k *keptCapture) before(p *capture.Packet) {
	if k.err == nil {
		p.Record.Interface = p.File
		k.err = k.recording.write(p.Record)
	}
}

// attach makes the run end when writing fails, and what waits be handed on; nil does
// nothing.
func (k *keptCapture) attach(w *pipeline.Watch, r *pipeline.Run) {
	if k == nil {
		return
	}
	first := r.After
	r.After = func(frame uint64) error {
		if first == nil || k.err != nil {
			return k.err
		}
		return first(frame)
	}
	w.Every(time.Second, k.tick)
}

// finish completes the file and says what is in it.
func (k *keptCapture) finish(stderr io.Writer) error {
	if k == nil {
		return nil
	}
	err := cmp.Or(k.err, closed(k.out))
	k.tellWritten(stderr)
	return err
}

// describe says in a file who captures what.
func describe(o *record.Options, src *capture.Source) {
	o.Application, o.OS, o.Hardware = "dpdissect "+buildVersion().Version, runtime.GOOS, runtime.GOARCH
	o.Interfaces, o.Start, o.PacketDrops = src.Interfaces(), time.Now(), true
	o.Heard = src.Heard
	o.Stats = func(i int) (received, dropped uint64, ok bool) {
		n, ok := src.Counts(i)
		return n.Received, n.Dropped, ok
	}
}
