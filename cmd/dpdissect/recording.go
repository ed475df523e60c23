package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/record"
)

// A recording is packets on their way from interfaces to a file.
type recording struct {
	src  *capture.Source
	out  *record.Recorder
	most uint64 // bytes of the file at which to stop, 0 for none
	line *countLine
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
	k.line.show(now, k)
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
		files += fmt.Sprintf(", of which the first %d are deleted", n.Deleted)
	}
	fmt.Fprintf(w, "%s written%s\n", packetCount(n.Packets), files)
}

// A countLine is a line on a terminal that counts.
type countLine struct {
	w    io.Writer // nil when there is none
	next time.Time
	any  bool
}

func newCountLine(w io.Writer, quiet bool) *countLine {
	f, ok := w.(*os.File)
	if quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return &countLine{}
	}
	return &countLine{w: w}
}

// show renews the line twice a second.
func (s *countLine) show(now time.Time, k *recording) {
	if s.w == nil || now.Before(s.next) {
		return
	}
	s.next, s.any = now.Add(500*time.Millisecond), true
	n := k.out.Counters()
	fmt.Fprintf(s.w, "\r\x1b[K%d packets, %d KiB written, %d dropped", n.Packets, n.FileBytes>>10, k.src.Dropped())
}

// clear removes the line.
func (s *countLine) clear() {
	if s.any {
		fmt.Fprint(s.w, "\r\x1b[K")
	}
}
