package annotate

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/record"
	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
	"github.com/dpdissect/dpdissect/session"
)

// annotated is a capture with comments, for each of which so many bytes of packets may wait.
func annotated(t *testing.T, path string, room uint64, workers int) []byte {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{Blocks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	run := pipeline.Run{Source: src, Workers: workers, Config: session.Config{Protocols: protocols.All(protocols.Options{})}}
	p := New(Options{Application: "test"})
	var out bytes.Buffer
	q := pipeline.NewQueue(&out, p)
	q.Notes = true
	p.Attach(&run, q)
	q.Room = room
	q.Attach(&run)
	if err = run.Do(); err == nil {
		err = q.Finish()
	}
	q.Append(func(dst []byte) []byte { return p.Finish(dst, src) })
	if err == nil {
		err = q.Flush()
	}
	if err != nil || p.Err() != nil {
		t.Fatal(err, p.Err())
	}
	return out.Bytes()
}

// TestRoom checks that little room costs comments what comes late, and nothing else, for any
// number of workers alike.
func TestRoom(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "pcaps", "dp8", "unsigned-lossy.pcap")
	whole := annotated(t, path, Room, 1)
	all, err := ngtest.Read(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []uint64{1, 300, 2000} {
		file := annotated(t, path, room, 1)
		if !bytes.Equal(annotated(t, path, room, 3), file) {
			t.Errorf("room %d: three workers write other bytes", room)
		}
		some, err := ngtest.Read(file)
		if err != nil || len(some) != len(all) {
			t.Fatalf("room %d: %d blocks of %d, %v", room, len(some), len(all), err)
		}
		if links, most := strings.Count(string(file), " acked_in="), strings.Count(string(whole), " acked_in="); links >= most || links == 0 && room > 1000 {
			t.Errorf("room %d: %d of %d acknowledgements are named", room, links, most)
		}
		for i := range some {
			if !bytes.Equal(some[i].Data, all[i].Data) {
				t.Errorf("room %d: block %d differs", room, i)
			}
		}
	}
}

// TestCut checks that a comment that is too long ends at a character, and that no line for
// machines is cut.
func TestCut(t *testing.T) {
	line := Mark + " conn=0"
	for n := record.MaxComment - 20; n < record.MaxComment+20; n++ {
		text := cut([]byte(line + "\n" + strings.Repeat("é", n/2) + "\n" + line + " acks=1,2,3"))
		if len(text) > record.MaxComment || !utf8.Valid(text) {
			t.Fatalf("%d: %d bytes", n, len(text))
		}
		lines := strings.Split(string(text), "\n")
		if last := lines[len(lines)-1]; strings.HasPrefix(last, Mark+" ") && last != line+" acks=1,2,3" {
			t.Errorf("%d: it ends with %q", n, last)
		}
	}
	if got := cut([]byte(line)); string(got) != line {
		t.Errorf("%q", got)
	}
}

// TestLongLists checks that a frame that acknowledges very many keeps whole numbers.
func TestLongLists(t *testing.T) {
	fr := dissect.Frame{Datagram: &dissect.Datagram{Frame: 1}, Protocol: "dp8", Words: dissect.Ack}
	for i := range uint64(30_000) {
		fr.Acks = append(fr.Acks, 1_000_000+i)
	}
	for range 1000 {
		fr.Notes = append(fr.Notes, dissect.Note{Rule: "DP8-LONG", Severity: "warn", Message: strings.Repeat("x", 50)})
	}
	comment := cut(appendText(appendLine(nil, Keys(), &fr, nil), &fr))
	first, text, _ := strings.Cut(string(comment), "\n")
	if len(comment) != record.MaxComment || len(first) > maxLine+20 || !strings.HasPrefix(text, "Warning: ") {
		t.Errorf("%d bytes, the first line has %d", len(comment), len(first))
	}
	for a := range strings.SplitSeq(first[strings.Index(first, "acks=")+5:], ",") {
		if len(a) != 7 {
			t.Errorf("%q is no frame", a)
		}
	}
}

// TestValuesEnd checks that no value ends a word or a list.
func TestValuesEnd(t *testing.T) {
	if got := string(appendValue(nil, "DTLS a,b\\\n\x1bé=")); got != `DTLS\x20a\x2cb\x5c\x0a\x1b\xc3\xa9=` {
		t.Error(got)
	}
}

// TestLengthOfParts checks that the lines of a packet that stands for several datagrams say
// how long each is, and those of other packets do not.
func TestLengthOfParts(t *testing.T) {
	fr := dissect.Frame{Datagram: &dissect.Datagram{Frame: 1, Length: 120, Parts: 3}, Protocol: "dp8", Connection: -1}
	if got := string(appendLine(nil, Keys(), &fr, nil)); got != "dpd1 protocol=dp8 length=120" {
		t.Error(got)
	}
	fr.Parts = 0
	if got := string(appendLine(nil, Keys(), &fr, nil)); got != "dpd1 protocol=dp8" {
		t.Error(got)
	}
}
