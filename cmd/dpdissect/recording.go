package main

import (
	"fmt"
	"io"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/metrics"
	"github.com/dpdissect/dpdissect/internal/record"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// metricsUsage is the help of --metrics.
const metricsUsage = "metrics for Prometheus at http://`ADDR`/metrics; :9464 is on this machine alone"

// A recording is packets on their way from interfaces to a file.
type recording struct {
	src   *capture.Source
	out   *record.Recorder
	most  uint64 // bytes of the file at which to stop, 0 for none
	line  *countLine
	meter *metrics.Recording // nil for none
}

// tickPackets is how many packets of a busy interface pass between two looks at the
// clock.
const tickPackets = 1024

// all records every packet.
func (k *recording) all() error {
	for n := 0; ; n++ {
		rec, ok := k.src.NextRecord()
		if !ok {
			return nil
		}
		if rec == nil || n%tickPackets == 0 {
			if err := k.tick(time.Now()); err != nil {
				return err
			}
		}
		if rec == nil {
			continue
		}
		if err := k.write(rec); err != nil {
			return err
		}
		if k.full() {
			return nil
		}
	}
}

// write records one packet.
func (k *recording) write(rec *capture.Record) error {
	if err := k.out.Write(rec); err != nil {
		return fmt.Errorf("-w: %w", err)
	}
	return nil
}

// full reports whether the file has the size of -a filesize.
func (k *recording) full() bool {
	return k.most != 0 && uint64(k.out.Counters().FileBytes) >= k.most
}

// tick hands on what waits, now and then.
func (k *recording) tick(now time.Time) error {
	if err := k.out.Tick(now); err != nil {
		return fmt.Errorf("-w: %w", err)
	}
	k.line.tick(now, k)
	k.meter.Tick(now)
	return nil
}

// tell says what was written and what was lost.
func (k *recording) tell(w io.Writer) {
	k.tellWritten(w)
	tellCounts(w, k.src.Infos())
}

func (k *recording) tellWritten(w io.Writer) {
	n := k.out.Counters()
	files := ""
	if n.Files > 1 {
		files = fmt.Sprintf(" to %d files", n.Files)
	}
	if n.Deleted > 0 {
		files += fmt.Sprintf("; the ring's %d oldest were deleted", n.Deleted)
	}
	fmt.Fprintf(w, "%s written%s\n", terminal.Counted(n.Packets, "packet"), files)
}

// A countLine is a line on a terminal that counts.
type countLine struct {
	*statusLine // nil when there is none
	next        time.Time
}

func newCountLine(w io.Writer, quiet bool) *countLine {
	if quiet {
		return &countLine{}
	}
	return &countLine{statusLine: newStatusLine(w)}
}

// tick renews the line twice a second.
func (l *countLine) tick(now time.Time, k *recording) {
	if l.statusLine == nil || now.Before(l.next) {
		return
	}
	l.next = now.Add(500 * time.Millisecond)
	n := k.out.Counters()
	l.show(fmt.Sprintf("%d packets, %d KiB written, %d dropped", n.Packets, n.FileBytes>>10, k.src.Dropped()))
}

// tellCounts says, for each interface, what was captured and what was lost.
func tellCounts(w io.Writer, infos []capture.Info) {
	for i := range infos {
		if n := &infos[i]; n.Live {
			fmt.Fprintf(w, "%s: %s captured, %d dropped by the kernel\n", printable(n.Path), terminal.Counted(n.Packets, "packet"), n.Dropped)
		}
	}
}

func closed(r *record.Recorder) error {
	if err := r.Close(); err != nil {
		return fmt.Errorf("-w: %w", err)
	}
	return nil
}
