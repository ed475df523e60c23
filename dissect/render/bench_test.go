package render

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// typicalFrame is a data frame with a tree of 30 fields.
func typicalFrame() *dissect.Frame {
	fr := fakeFrame()
	fr.Summary = []byte("DFRAME seq 5 nrcv 7 RELIABLE SEQUENTIAL, 50 bytes")
	fr.Words, fr.Notes, fr.Err, fr.Acks = dissect.Ack, nil, nil, nil
	fields := make([]dissect.Field, 24)
	t := &dissect.Tree{}
	t.Reset(fakePayload())
	t.Add(&fakeFields[fOpcode], 0, 1, 0x3f)
	t.Add(&fakeFields[fControl], 1, 1, 0x11)
	t.Add(&fakeFields[fSession], 2, 4, 0x79c9aec6)
	t.Add(&fakeFields[fMask], 6, 4, 0x1d)
	t.AddIDs(&fakeFields[fSacked], 6, []int64{6, 8, 9, 10})
	for i := range fields {
		fields[i] = dissect.Field{Name: fmt.Sprintf("fake.field_%d", i), Kind: dissect.Uint}
		t.Add(&fields[i], 10+i, 1, uint64(i*9))
	}
	t.Add(&fakeFields[fPayload], 34, 41, 0)
	fr.Tree = t
	return fr
}

var sink []byte

func BenchmarkAppendLine(b *testing.B) {
	for _, format := range []string{"r", "ad", "ud", "e"} {
		b.Run(format, func(b *testing.B) {
			s, c, fr := NewSummary(Palette{}), &Clock{}, typicalFrame()
			if err := c.Format.Set(format); err != nil {
				b.Fatal(err)
			}
			c.AdvanceTime(fr.Time-12345678, true)
			b.ReportAllocs()
			for b.Loop() {
				sink = s.AppendLine(sink[:0], fr, c)
			}
		})
	}
}

func BenchmarkAppendRecord(b *testing.B) {
	e, fr := NewFrameEncoder(false), typicalFrame()
	b.ReportAllocs()
	for b.Loop() {
		sink = e.AppendRecord(sink[:0], fr)
	}
	b.SetBytes(int64(len(sink)))
}

func BenchmarkAppendFields(b *testing.B) {
	e, fr := NewFrameEncoder(false), typicalFrame()
	b.ReportAllocs()
	for b.Loop() {
		sink = e.AppendFields(sink[:0], fr.Tree)
	}
}

func BenchmarkAppendFrame(b *testing.B) {
	v, fr, c := NewVerbose(Palette{}, fakeProtocols), typicalFrame(), &Clock{}
	b.ReportAllocs()
	for b.Loop() {
		sink = v.AppendFrame(sink[:0], fr, c)
	}
}

func BenchmarkAppendRow(b *testing.B) {
	c, err := NewColumns([]string{"frame.number", "fake.seq", "fake.control_flags.retry", "fake.sacked", "analysis"}, DefaultColumnOptions(), fakeProtocols)
	if err != nil {
		b.Fatal(err)
	}
	fr, clock := typicalFrame(), &Clock{}
	b.ReportAllocs()
	for b.Loop() {
		sink = c.AppendRow(sink[:0], fr, clock)
	}
}

func BenchmarkAppendHexDump(b *testing.B) {
	data := make([]byte, 1024)
	b.SetBytes(1024)
	for b.Loop() {
		sink = AppendHexDump(sink[:0], data, Style{})
	}
}

func BenchmarkAppendRFC3339(b *testing.B) {
	var dates dateCache
	for b.Loop() {
		sink = dates.appendRFC3339(sink[:0], firstTime)
	}
}

func TestAllocations(t *testing.T) {
	s, v, e := NewSummary(ANSI()), NewVerbose(ANSI(), fakeProtocols), NewFrameEncoder(true)
	v.Dump = true
	cols, err := NewColumns([]string{"fake.seq", "fake.sacked", "frame.time", "summary", "analysis", "error", "ip.src"}, DefaultColumnOptions(), fakeProtocols)
	if err != nil {
		t.Fatal(err)
	}
	clock := &Clock{}
	buf := make([]byte, 0, 1<<16)
	for _, fr := range []*dissect.Frame{fakeFrame(), typicalFrame(), plainFrame()} {
		for name, render := range map[string]func(){
			"line":    func() { buf = s.AppendLine(buf[:0], fr, clock) },
			"verbose": func() { buf = v.AppendFrame(buf[:0], fr, clock) },
			"record":  func() { buf = e.AppendRecord(buf[:0], fr) },
			"row":     func() { buf = cols.AppendRow(buf[:0], fr, clock) },
		} {
			if n := testing.AllocsPerRun(20, render); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	}
}
