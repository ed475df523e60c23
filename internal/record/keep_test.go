package record

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/internal/capture"
	"pgregory.net/rapid"
)

// A list takes what is dumped.
type list struct {
	recs []capture.Record
	room int // packets until it fails, 0 for no limit
}

var errList = errors.New("no room")

func (l *list) Write(rec *capture.Record) error {
	if l.room > 0 && len(l.recs) >= l.room {
		return errList
	}
	r := *rec
	r.Data, r.Comments = slices.Clone(r.Data), slices.Clone(r.Comments)
	l.recs = append(l.recs, r)
	return nil
}

func dump(t testing.TB, k *Keep) []capture.Record {
	t.Helper()
	var l list
	n, err := k.Dump(&l)
	if err != nil || n != len(l.recs) || uint64(n) != k.Counters().Packets {
		t.Fatalf("%d packets of %d, %v, %+v", len(l.recs), n, err, k.Counters())
	}
	return l.recs
}

// The last seconds are kept, to the packet, with all that was said of them.
func TestKeepDuration(t *testing.T) {
	k := NewKeep(KeepOptions{Duration: 10 * time.Millisecond})
	var all []*capture.Record
	for i := range 100 {
		rec := packet(i)
		rec.Interface, rec.Outbound, rec.Link = i%3, i%2 == 0, capture.LinkType(i%5)
		if i%7 == 0 {
			rec.HasDrops, rec.Drops = true, uint64(i)<<40
		}
		all = append(all, rec)
		scratch := *rec
		scratch.Data = slices.Clone(rec.Data)
		k.Add(&scratch, uint64(1000+i))
		clear(scratch.Data) // it was copied
	}
	got := dump(t, k)
	if len(got) != 11 { // those 10 ms old are not older
		t.Fatalf("%d packets", len(got))
	}
	for i := range got {
		want := all[89+i]
		if !same(&got[i], want) || got[i].Link != want.Link || got[i].HasDrops != want.HasDrops {
			t.Errorf("packet %d is %+v", i, got[i])
		}
	}
	if c := k.Counters(); c.Expired != 89 || c.Pushed != 0 {
		t.Errorf("%+v", c)
	}
	k.Clear()
	if len(dump(t, k)) != 0 || k.Counters().Bytes != 0 {
		t.Error("something is left")
	}
	k.Add(packet(500), 5000)
	if got := dump(t, k); len(got) != 1 || !same(&got[0], packet(500)) {
		t.Errorf("%+v", got)
	}
}

// Memory has a bound: the oldest go first, whatever the time.
func TestKeepBytes(t *testing.T) {
	k := NewKeep(KeepOptions{Duration: time.Hour, MaxBytes: 4 * keepChunk})
	big := make([]byte, 1000)
	for i := range 20_000 {
		rec := packet(i)
		rec.Data = big
		k.Add(rec, uint64(i))
		if k.Counters().Bytes > 4*keepChunk || len(k.chunks)+len(k.free) > 4 {
			t.Fatalf("%+v", k.Counters())
		}
	}
	got := dump(t, k)
	if n := len(got); n < 3*keepChunk/1048 || got[n-1].Time != packet(19_999).Time || got[0].Time != packet(20_000-n).Time || k.Counters().Pushed != uint64(20_000-n) {
		t.Errorf("%d packets, %+v", n, k.Counters())
	}
	huge := packet(20_000)
	huge.Data = make([]byte, capture.MaxPacket)
	for i := range 5 {
		k.Add(huge, uint64(30_000+i))
	}
	if got := dump(t, k); len(got[len(got)-1].Data) != capture.MaxPacket {
		t.Error("the largest packet is not kept")
	}
	before := k.Counters()
	huge.Data = make([]byte, capture.MaxPacket+1)
	k.Add(huge, 40_000)
	if c := k.Counters(); c.Pushed != before.Pushed+1 || c.Packets != before.Packets {
		t.Errorf("%+v", c)
	}
}

// A clock that is set back takes nothing away; packets without a time go with those
// before them.
func TestKeepTimes(t *testing.T) {
	k := NewKeep(KeepOptions{Duration: 10 * time.Millisecond})
	for i := range 10 {
		rec := packet(i)
		if i == 4 {
			rec.HasTime, rec.Time = false, 0
		}
		k.Add(rec, uint64(i))
	}
	if got := dump(t, k); len(got) != 10 || got[4].HasTime || got[4].Time != 0 {
		t.Errorf("%d packets", len(got))
	}
	k.Add(packet(14), 10)
	if got := dump(t, k); len(got) != 6 || got[0].Time != packet(5).Time {
		t.Errorf("%d packets", len(got))
	}
	past := packet(15)
	past.Time -= int64(time.Hour)
	k.Add(past, 11)
	if n := len(dump(t, k)); n != 7 {
		t.Errorf("%d packets", n)
	}
}

func TestKeepComments(t *testing.T) {
	k := NewKeep(KeepOptions{Duration: 10 * time.Millisecond})
	if k.Comment(0, "nothing is there") {
		t.Error("a comment on nothing")
	}
	for i := range 8 {
		k.Add(packet(i), uint64(2*i)) // of the frames between, nothing was kept
	}
	for _, c := range []struct {
		frame uint64
		text  string
		want  bool
	}{{14, "last", true}, {4, "one", true}, {0, "first", true}, {4, "two", true}, {5, "of none", true}, {15, "later", false}, {4, "three", true}} {
		if got := k.Comment(c.frame, c.text); got != c.want {
			t.Errorf("%+v", c)
		}
	}
	want := map[int][]string{0: {"first"}, 2: {"one", "two", "three"}, 7: {"last"}}
	for range 2 { // a dump takes nothing away
		for i, rec := range dump(t, k) {
			if !slices.Equal(rec.Comments, want[i]) {
				t.Errorf("packet %d: %q", i, rec.Comments)
			}
		}
	}
	k.Add(packet(13), 100)
	if got := dump(t, k); len(got) != 6 || len(got[0].Comments) != 0 || k.Counters().Comments != 1 || k.Comment(4, "too late") {
		t.Errorf("%+v, %+v", got, k.Counters())
	}
	if c := k.Counters(); c.Unkept != 3 {
		t.Errorf("%+v", c)
	}
}

// Comments are bounded in length and number.
func TestKeepCommentBounds(t *testing.T) {
	k := NewKeep(KeepOptions{})
	for i := range 1000 {
		k.Add(packet(i), uint64(i))
	}
	long := strings.Repeat("äöü", 1000)
	for i := range 20 {
		if got := k.Comment(3, long); got != (i < notesOfPacket) {
			t.Errorf("comment %d: %v", i, got)
		}
	}
	for i := range maxNotes {
		k.Comment(uint64(100+i/10), "x")
	}
	if c := k.Counters(); c.Comments != maxNotes || c.Unkept != 4+notesOfPacket {
		t.Errorf("%+v", c)
	}
	for _, s := range dump(t, k)[3].Comments {
		if len(s) > maxNote || len(s) < maxNote-4 || !utf8.ValidString(s) || !strings.HasSuffix(s, "…") {
			t.Errorf("%d bytes, %q", len(s), s[len(s)-8:])
		}
	}
}

// A dump is a capture file like any other, and its error is told.
func TestKeepDump(t *testing.T) {
	k := NewKeep(KeepOptions{Duration: time.Second})
	for i := range 3000 {
		rec := packet(i)
		if i == 2500 {
			rec.HasDrops, rec.Drops = true, 3
		}
		k.Add(rec, uint64(i+1))
	}
	k.Comment(2501, "error DP8-1: here")
	path := filepath.Join(t.TempDir(), "dump.pcapng")
	r := create(t, Options{Path: path, Comment: "loss > 5%"})
	n, err := k.Dump(r)
	must(t, err)
	must(t, r.Close())
	c := readFile(t, path)
	if n != 1001 || len(c.recs) != n || c.told != 3 || !slices.Equal(c.recs[2500-1999].Comments, []string{"error DP8-1: here"}) {
		t.Errorf("%d packets, only %d are present, %d drops", n, len(c.recs), c.told)
	}
	if n, err := k.Dump(&list{room: 7}); n != 7 || err != errList {
		t.Error(n, err)
	}
}

// A Keep holds what a plain list with the same rules holds.
func TestKeepProperty(t *testing.T) {
	type kept struct {
		rec   *capture.Record
		frame uint64
		notes []string
	}
	rapid.Check(t, func(rt *rapid.T) {
		duration := time.Duration(rapid.IntRange(1, 60).Draw(rt, "duration")) * time.Millisecond
		k := NewKeep(KeepOptions{Duration: duration})
		var model []*kept
		at, frame := 0, uint64(0)
		for range rapid.IntRange(1, 200).Draw(rt, "steps") {
			if len(model) > 0 && rapid.IntRange(0, 3).Draw(rt, "what") == 0 {
				f := rapid.Uint64Range(0, frame+1).Draw(rt, "frame")
				text := fmt.Sprint("note ", at)
				ok := k.Comment(f, text)
				if want := f >= model[0].frame && f <= frame; ok != want {
					rt.Fatalf("comment on %d: %v, kept are %d to %d", f, ok, model[0].frame, frame)
				}
				for _, m := range model {
					if m.frame == f && len(m.notes) < notesOfPacket {
						m.notes = append(m.notes, text)
					}
				}
				continue
			}
			at += rapid.IntRange(0, 30).Draw(rt, "silence")
			frame += rapid.Uint64Range(1, 3).Draw(rt, "frames")
			rec := packet(at)
			rec.Data = append(rec.Data, make([]byte, rapid.SampledFrom([]int{0, 1, 1400, 200_000}).Draw(rt, "size"))...)
			k.Add(rec, frame)
			model = append(model, &kept{rec: rec, frame: frame})
			for len(model) > 1 && model[0].rec.Time < rec.Time-int64(duration) {
				model = model[1:]
			}
		}
		got := dump(t, k)
		if len(got) != len(model) {
			rt.Fatalf("%d packets, not %d", len(got), len(model))
		}
		for i, m := range model {
			m.rec.Comments = m.notes
			if !same(&got[i], m.rec) {
				rt.Fatalf("packet %d is %+v, not %+v", i, got[i], *m.rec)
			}
		}
	})
}

// Once full, keeping allocates nothing.
func TestKeepAllocatesNothing(t *testing.T) {
	k := NewKeep(KeepOptions{Duration: time.Second, MaxBytes: 4 << 20})
	rec := hundred()
	frame := uint64(0)
	add := func() {
		rec.Time += 10_000
		frame++
		k.Add(rec, frame)
	}
	for range 200_000 {
		add()
	}
	if n := testing.AllocsPerRun(100_000, add); n != 0 {
		t.Errorf("%v allocations a packet", n)
	}
}

func BenchmarkKeep(b *testing.B) {
	k := NewKeep(KeepOptions{Duration: time.Second})
	rec := hundred()
	frame := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		rec.Time += 10_000
		frame++
		k.Add(rec, frame)
	}
}

// BenchmarkKeepFull has more packets than memory.
func BenchmarkKeepFull(b *testing.B) {
	k := NewKeep(KeepOptions{Duration: time.Hour})
	rec := hundred()
	frame := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		rec.Time += 10_000
		frame++
		k.Add(rec, frame)
	}
}

func BenchmarkKeepDump(b *testing.B) {
	k := NewKeep(KeepOptions{Duration: 10 * time.Second})
	rec := hundred()
	for i := range 100_000 {
		rec.Time += 10_000
		k.Add(rec, uint64(i))
		if i%1000 == 0 {
			k.Comment(uint64(i), "a finding")
		}
	}
	r := create(b, Options{Path: "/dev/null"})
	n := 0
	for b.Loop() {
		k, err := k.Dump(r)
		must(b, err)
		n += k
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/packet")
}
