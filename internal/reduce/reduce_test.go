package reduce_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/reduce"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// judge asks for what check finds without a rules file.
func judge() *reduce.Judge {
	all := protocols.All(protocols.Options{})
	var rules []conform.Rule
	for _, p := range all {
		rules = append(rules, p.Rules...)
	}
	return &reduce.Judge{Config: session.Config{Protocols: all}, Policy: verdict.NewPolicy(), Book: verdict.NewBook(rules, session.Quality), Today: "2026-01-01"}
}

func trace(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "pcaps", path))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func source(file []byte) (*capture.Source, error) {
	return capture.Open([]string{"-"}, capture.Options{Stdin: bytes.NewReader(file)})
}

func found(t *testing.T, file []byte) []session.Finding {
	t.Helper()
	src, err := source(file)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	all, err := judge().Findings(src, 1)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func findingOf(t *testing.T, file []byte, rule string) *session.Finding {
	t.Helper()
	all := found(t, file)
	i := slices.IndexFunc(all, func(f session.Finding) bool { return f.Rule.ID == rule })
	if i < 0 {
		t.Fatalf("no finding of %s", rule)
	}
	return &all[i]
}

func reduced(t *testing.T, file []byte, f *session.Finding, tries int) *reduce.Result {
	t.Helper()
	r, err := reduce.Reduce(reduce.Options{Judge: judge(), MaxTries: tries, Open: func() (*capture.Source, error) { return source(file) }}, f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// records reads a capture.
func records(t *testing.T, file []byte) (all []capture.Record) {
	t.Helper()
	r, err := capture.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		var rec capture.Record
		if err := r.Next(&rec); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		rec.Data = bytes.Clone(rec.Data)
		all = append(all, rec)
	}
}

// written makes a capture.
func written(t *testing.T, all []capture.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := capture.NewWriter(&b, capture.WriterOptions{Format: "pcapng", Nanoseconds: true, Interfaces: []capture.Interface{{Link: all[0].Link}}})
	for i := range all {
		err = errors.Join(err, w.Write(&all[i]))
	}
	if err := errors.Join(err, w.Flush()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReduceLeavesPacketsAsTheyAre: what is left is packets of the input, byte for byte and
// with their times, in their order, and shows the finding at the same packet.
func TestReduceLeavesPacketsAsTheyAre(t *testing.T) {
	file := trace(t, "dp8/full-signed-forged.pcap")
	f := findingOf(t, file, "DP8-SIG-FULL")
	r := reduced(t, file, f, 2000)
	in, out := records(t, file), records(t, r.File)
	if len(out) != len(r.Frames) || len(out) == 0 || len(out) > 10 || !slices.IsSorted(r.Frames) {
		t.Fatalf("%d packets of frames %v", len(out), r.Frames)
	}
	for i, frame := range r.Frames {
		was := &in[frame-1]
		if !bytes.Equal(out[i].Data, was.Data) || out[i].WireLen != was.WireLen || out[i].Time != was.Time || out[i].Link != was.Link || len(out[i].Comments) > 0 {
			t.Errorf("frame %d is not as it was", frame)
		}
	}
	again := findingOf(t, r.File, "DP8-SIG-FULL")
	if again.Frame != r.Frame || r.Frames[r.Frame-1] != f.Frame {
		t.Errorf("found at frame %d, want %d, which was %d of %d", again.Frame, r.Frame, r.Frames[r.Frame-1], f.Frame)
	}
	if !slices.EqualFunc(r.Findings, found(t, r.File), func(a, b session.Finding) bool { return reduce.TargetOf(&a) == reduce.TargetOf(&b) }) {
		t.Errorf("findings are not those of the file")
	}
}

// TestReduceIsMinimal: no single packet can be left out where that is said, and twice the same
// comes out.
func TestReduceIsMinimal(t *testing.T) {
	for path, rule := range map[string]string{"dp8/unsigned-lossy.pcap": "CAP-UPLOSS", "dp8/full-signed-forged.pcap": "DP8-SIG-EPOCH", "dp8/capture-loss.pcap": "CAP-GAP"} {
		file := trace(t, path)
		f := findingOf(t, file, rule)
		r := reduced(t, file, f, 2000)
		if !r.Minimal || r.Tries > 2000 || r.Tries < len(r.Frames) {
			t.Errorf("%s: minimal is %v after %d tries", path, r.Minimal, r.Tries)
		}
		if again := reduced(t, file, f, 2000); !bytes.Equal(r.File, again.File) {
			t.Errorf("%s: the second time it is another file", path)
		}
		all := records(t, r.File)
		for i := range all {
			want := reduce.TargetOf(f)
			if want.Frame = r.Frame; uint64(i+1) < r.Frame {
				want.Frame--
			}
			less := slices.Delete(slices.Clone(all), i, i+1)
			if len(less) == 0 || uint64(i+1) == r.Frame {
				continue
			}
			if slices.ContainsFunc(found(t, written(t, less)), func(f session.Finding) bool { return reduce.TargetOf(&f) == want }) {
				t.Errorf("%s: packet %d of %d can be left out", path, i+1, len(all))
			}
		}
	}
}

// TestReduceLeavesOtherConnectionsOut: of a capture of two connections one is left.
func TestReduceLeavesOtherConnectionsOut(t *testing.T) {
	file := trace(t, "dp8/full-signed-forged.pcap")
	all, other := records(t, file), records(t, trace(t, "hazel/capture-loss.pcap"))
	shift := all[0].Time - other[0].Time
	for i := range other {
		other[i].Time += shift
	}
	both := slices.Concat(all, other)
	slices.SortStableFunc(both, func(a, b capture.Record) int { return int(a.Time - b.Time) })
	mixed := written(t, both)
	alone, mix := reduced(t, file, findingOf(t, file, "DP8-SIG-FULL"), 2000), reduced(t, mixed, findingOf(t, mixed, "DP8-SIG-FULL"), 2000)
	if !bytes.Equal(alone.File, mix.File) {
		t.Errorf("beside another connection %d packets are left, alone %d", len(mix.Frames), len(alone.Frames))
	}
}

// TestReduceEndsAtMaxTries: the best until then is given, and that it may be no minimum.
func TestReduceEndsAtMaxTries(t *testing.T) {
	file := trace(t, "dp8/unsigned-lossy.pcap")
	f := findingOf(t, file, "CAP-UPLOSS")
	whole := len(records(t, file))
	before := whole
	for _, tries := range []int{1, 5, 10} {
		r := reduced(t, file, f, tries)
		if r.Minimal || r.Tries != tries || len(r.Frames) > before {
			t.Errorf("%d tries: minimal is %v after %d, %d packets", tries, r.Minimal, r.Tries, len(r.Frames))
		}
		if got := findingOf(t, r.File, "CAP-UPLOSS"); got.Frame != r.Frame {
			t.Errorf("%d tries: found at frame %d, want %d", tries, got.Frame, r.Frame)
		}
		before = len(r.Frames)
	}
	if before == whole {
		t.Error("nothing was left out in 10 tries")
	}
}

// TestReduceSaysWhatPacketsDoNotShow: drops that only statistics after the last packet tell
// of make a finding that no packets show.
func TestReduceSaysWhatPacketsDoNotShow(t *testing.T) {
	file := trace(t, "hazel/capture-loss.pcap")
	f := findingOf(t, trace(t, "dp8/capture-loss.pcap"), "CAP-GAP")
	_, err := reduce.Reduce(reduce.Options{Judge: judge(), MaxTries: 2000, Open: func() (*capture.Source, error) { return source(file) }}, f)
	if !errors.Is(err, reduce.ErrBeside) {
		t.Errorf("got %v", err)
	}
}
