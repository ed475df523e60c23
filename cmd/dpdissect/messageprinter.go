package main

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
)

// messagePrinter prints messages in their order and writes them to files.
type messagePrinter struct {
	format  string
	payload bool
	quiet   bool
	display pipeline.Display
	clock   *render.Clock
	lines   *report.MessageLines
	table   *report.RecordTable
	heading bool           // above the lines
	dir     *os.Root       // of --out, nil without
	files   *outfile.Guard // that --out does not write over
	keep    bool           // payloads, until their messages are printed

	shown    shownFrames
	document render.Document
	scratch  []byte
	err      error // of a file in dir
}

// A meta is what is needed of a message when its turn comes, beside its encoded
// record: it stands in front of the payload, where that is needed, too.
type meta struct {
	index, lastFrame  uint64
	time              int64
	dir               byte
	hasTime, complete bool
}

const metaSize = 3*8 + 2

func appendMeta(dst []byte, m *session.Message) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, m.Index)
	dst = binary.LittleEndian.AppendUint64(dst, m.LastFrame)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(m.Time))
	flags := byte(0)
	if m.HasTime {
		flags |= 1
	}
	if m.Complete {
		flags |= 2
	}
	return append(dst, byte(m.Dir), flags)
}

func unpack(head []byte) (m meta, payload []byte) {
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(head[8*i:]) }
	dir, flags := head[metaSize-2], head[metaSize-1]
	return meta{number(0), number(1), int64(number(2)), dir, flags&1 != 0, flags&2 != 0}, head[metaSize:]
}

// PrepareMessage implements pipeline.Printer.
func (p *messagePrinter) PrepareMessage(_ int, m *session.Message) (head, tail []byte) {
	head = appendMeta(make([]byte, 0, metaSize), m)
	if p.keep {
		head = append(head, m.Payload...)
	}
	if p.format == "text" {
		return head, report.AppendMessageCells(nil, m)
	}
	size := recordSize
	if p.payload {
		size += 2 * len(m.Payload)
	}
	return head, report.AppendMessageBody(make([]byte, 0, size), m, p.payload)
}

// recordSize is room for a record without its payload.
const recordSize = 384

// Prepare implements pipeline.Printer.
func (p *messagePrinter) Prepare(_ int, s *pipeline.Slot, fr *dissect.Frame) {
	p.display.Prepare(s, fr)
}

// Print implements pipeline.Printer. Of packets only those matter that a display
// filter matches, and the first, from which times count.
func (p *messagePrinter) Print(dst []byte, s *pipeline.Slot) []byte {
	if p.display.Selects() {
		frame := s.Datagram.Frame
		p.shown.set(frame, p.display.Decide(s) || s.Datagram.Part > 0 && p.shown.has(frame))
	}
	if s.Datagram.Frame == 1 {
		p.clock.Advance(&s.Datagram, true)
	}
	return dst
}

// PrintMessage implements pipeline.Printer.
func (p *messagePrinter) PrintMessage(dst, head, tail []byte, id int) []byte {
	m, payload := unpack(head)
	if p.display.Selects() && !p.shown.has(m.lastFrame) {
		return dst
	}
	p.save(&m, id, payload)
	if p.quiet {
		return dst
	}
	switch p.format {
	case "ndjson":
		return append(append(report.AppendMessageHead(dst, id), tail...), '\n')
	case "json":
		p.scratch = append(report.AppendMessageHead(p.scratch[:0], id), tail...)
		return p.document.AppendRecord(dst, p.scratch)
	case "csv":
		p.scratch = append(report.AppendMessageHead(p.scratch[:0], id), tail...)
		return p.table.AppendRow(dst, p.scratch)
	}
	dst = p.lines.AppendLine(dst, tail, id)
	if m.hasTime {
		p.clock.AdvanceTime(m.time, true)
	}
	if p.payload && len(payload) > 0 {
		dst = append(render.AppendHexDump(dst, payload, render.Style{}), '\n')
	}
	return dst
}

// save writes the payload to its file.
func (p *messagePrinter) save(m *meta, id int, payload []byte) {
	if p.dir == nil || p.err != nil || !m.complete {
		return
	}
	name := fmt.Sprintf("%d-%c-%d.bin", id, 'a'+m.dir, m.index)
	if err := outfile.WriteIn(p.dir, name, payload, outfile.Private, p.files); err != nil {
		p.err = notWritten("--out", err)
	}
}

func (p *messagePrinter) appendStart(dst []byte) []byte {
	if p.format == "text" && !p.quiet && p.heading {
		return p.lines.AppendHeader(dst)
	}
	if p.format == "csv" && !p.quiet {
		return p.table.AppendHeader(dst)
	}
	return dst
}

func (p *messagePrinter) appendEnd(dst []byte) []byte {
	if p.format == "text" && !p.quiet && p.heading {
		return p.lines.AppendEnd(dst)
	}
	if p.format == "json" && !p.quiet {
		return p.document.AppendEnd(dst)
	}
	return dst
}

// shownFrames remembers which of the latest frames a display filter matched. A
// message that waits longer than that for those before it is not listed.
type shownFrames struct{ bits []uint64 }

// rememberedFrames is how many: half a megabyte of bits.
const rememberedFrames = 1 << 22

func (s *shownFrames) set(frame uint64, shown bool) {
	if s.bits == nil {
		s.bits = make([]uint64, rememberedFrames/64)
	}
	word, bit := &s.bits[frame%rememberedFrames/64], uint64(1)<<(frame%64)
	if *word &^= bit; shown {
		*word |= bit
	}
}

func (s *shownFrames) has(frame uint64) bool {
	return s.bits != nil && s.bits[frame%rememberedFrames/64]>>(frame%64)&1 == 1
}
