package pipeline

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/session"
)

// FrameMode is how frames are printed.
type FrameMode uint8

const (
	Lines     FrameMode = iota // one line each
	Tree                       // -V
	Bytes                      // -x: the line and the bytes
	TreeBytes                  // -V -x
	Columns                    // -e
	NDJSON                     // one record a line
	JSON                       // one document: an array of records
	Table                      // a line for each record, which Frames.Table makes
)

// A RecordTable makes lines of records.
type RecordTable interface {
	AppendHeader(dst []byte) []byte
	AppendRow(dst, record []byte) []byte
}

// Frames prints frames.
type Frames struct {
	NoMessages

	Mode    FrameMode
	Display Display
	Clock   *render.Clock
	Palette render.Palette
	Columns *render.Columns // for mode Columns
	Table   RecordTable     // for mode Table
	Files   bool            // records name their input file
	Titles  []*dissect.Protocol
	Names   func(dissect.Endpoint) string // shown for addresses in lines; "" for none, nil for no names at all
	Width   func(string) int              // columns of the screen that a name takes

	encoders [Shards]*render.FrameEncoder
	summary  *render.Summary
	verbose  *render.Verbose
	document render.Document
	scratch  []byte
}

// Configure sets what the tracker must provide for the mode.
func (p *Frames) Configure(c *session.Config) {
	c.Trees = p.Mode != Lines && p.Mode != Bytes
	c.Summaries = true
	c.Links = p.Mode != Lines && p.Mode != Bytes
	p.Display.Configure(c)
	p.summary = render.NewSummary(p.Palette)
	p.summary.Names, p.summary.Width = p.Names, p.Width
	p.verbose = render.NewVerbose(p.Palette, p.Titles)
	p.verbose.Names = p.Names
	p.verbose.Dump = p.Mode == TreeBytes
	for i := range p.encoders {
		p.encoders[i] = render.NewFrameEncoder(p.Files)
	}
}

// Prepare implements Printer.
func (p *Frames) Prepare(shard int, s *Slot, fr *dissect.Frame) {
	p.Display.Prepare(s, fr)
	if !s.Show {
		s.Settle()
		return
	}
	switch p.Mode {
	case Lines:
	case NDJSON, JSON, Table:
		s.Head = p.encoders[shard].AppendHead(s.Head[:0], fr)
		s.Body = p.encoders[shard].AppendBody(s.Body[:0], fr)
	default:
		s.KeepTree(fr)
	}
}

// Print implements Printer.
func (p *Frames) Print(dst []byte, s *Slot) []byte {
	if p.Display.Decide(s) && s.isDatagram {
		dst = p.print(dst, s)
	}
	p.Clock.Advance(&s.Datagram, s.Show)
	return dst
}

func (p *Frames) print(dst []byte, s *Slot) []byte {
	fr := &s.Frame
	switch p.Mode {
	case Lines:
		return p.summary.AppendLine(dst, fr, p.Clock)
	case Bytes:
		dst = p.summary.AppendLine(dst, fr, p.Clock)
		dst = render.AppendHexDump(dst, fr.Payload, render.Style{})
		return append(dst, '\n')
	case Columns:
		return p.Columns.AppendRow(dst, fr, p.Clock)
	case NDJSON:
		return append(p.record(dst, s), '\n')
	case JSON:
		p.scratch = p.record(p.scratch[:0], s)
		return p.document.AppendRecord(dst, p.scratch)
	case Table:
		p.scratch = p.record(p.scratch[:0], s)
		return p.Table.AppendRow(dst, p.scratch)
	}
	return p.verbose.AppendFrame(dst, fr, p.Clock)
}

func (p *Frames) record(dst []byte, s *Slot) []byte {
	var e *render.FrameEncoder
	dst = append(dst, s.Head...)
	dst = e.AppendConnection(dst, s.Frame.Connection)
	dst = append(dst, s.Body...)
	return e.AppendTail(dst, &s.Frame)
}

// AppendStart appends what stands before the first frame.
func (p *Frames) AppendStart(dst []byte) []byte {
	switch p.Mode {
	case Columns:
		return p.Columns.AppendHeader(dst)
	case Table:
		return p.Table.AppendHeader(dst)
	}
	return dst
}

// AppendEnd appends what stands after the last frame.
func (p *Frames) AppendEnd(dst []byte) []byte {
	if p.Mode == JSON {
		return p.document.AppendEnd(dst)
	}
	return dst
}
