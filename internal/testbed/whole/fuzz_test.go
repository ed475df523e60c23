package whole

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
	"github.com/dpdissect/dpdissect/session"
)

// Fuzz targets of the whole pipeline, one a protocol: edited excerpts of the traces
// go through all that analyze, decode, messages and check do.

func FuzzDP8(f *testing.F)   { fuzzPipeline(f, "dp8") }
func FuzzDP4(f *testing.F)   { fuzzPipeline(f, "dp4") }
func FuzzKnet(f *testing.F)  { fuzzPipeline(f, "knet") }
func FuzzHazel(f *testing.F) { fuzzPipeline(f, "hazel") }

// protocolFolders are those of testdata/pcaps: one a protocol.
var protocolFolders = func() (names []string) {
	for _, p := range protocols.All(protocols.Options{}) {
		names = append(names, p.Name)
	}
	return names
}()

// TestFuzzTargets: each protocol has one of these.
func TestFuzzTargets(t *testing.T) {
	text, err := os.ReadFile("fuzz_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range protocolFolders {
		if !strings.Contains(string(text), `{ fuzzPipeline(f, "`+p+`") }`) {
			t.Errorf("no target fuzzes %s", p)
		}
	}
}

// Of how many inputs one is held to the schemas, which takes longer than all the
// rest; is run with three workers, too; is printed in all formats. Which ones, the
// input decides.
const (
	validated = 64
	parallel  = 16
	printedAs = 32
)

func fuzzPipeline(f *testing.F, protocol string) {
	// Many short runs, each with buffers for a long one: garbage may wait.
	before := debug.SetGCPercent(1000)
	f.Cleanup(func() { debug.SetGCPercent(before) })
	all, others := excerpt.Of(f, protocol), excerpt.OtherPackets(f, protocolFolders)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range all {
		edits := make([]byte, excerpt.EditBytes*(1+i%6))
		for k := range edits {
			edits[k] = byte(r.Uint32())
		}
		f.Add(uint16(i), byte(0), []byte{})
		f.Add(uint16(i), byte(r.Uint32()), edits)
	}
	force := forced(protocol)
	schemas := compiled(f)
	f.Fuzz(func(t *testing.T, which uint16, mode byte, edits []byte) {
		packets := excerpt.Edited(all[int(which)%len(all)].Packets, others, edits)
		h := fnv.New32a()
		h.Write(edits)
		h.Write([]byte{byte(which), byte(which >> 8), mode})
		sum := h.Sum32()
		how := plan{workers: 1, tree: sum>>8%printedAs == 1, all: sum>>16%printedAs == 1}
		if mode&1 == 1 {
			how.force = &force[int(mode>>1)%len(force)]
		}
		file := excerpt.AsFile(packets)
		y := checked(t, file, how)
		if sum>>4%parallel == 0 {
			same(t, file, how, y)
		}
		if sum%validated == 0 && !how.tree {
			valid(t, schemas, y)
		}
	})
}

// forced are the ways to tell the program that all ports speak a protocol.
func forced(protocol string) (all []session.Force) {
	list, _ := spoken()
	for _, p := range list {
		if p.Name == protocol {
			all = append(all, session.Force{Hi: 65535, Protocol: p})
			for _, d := range p.Dialects {
				all = append(all, session.Force{Hi: 65535, Protocol: p, Dialect: d})
			}
		}
	}
	return all
}

// keepFailed writes the capture of a failed test to the folder that DPDISSECT_KEEP
// names, to look at it with the program itself.
func keepFailed(t *testing.T, file []byte, how plan) {
	dir := os.Getenv("DPDISSECT_KEEP")
	if !t.Failed() || dir == "" {
		return
	}
	name := strings.NewReplacer("/", "-", "#", "").Replace(t.Name()) + ".pcapng"
	if err := os.WriteFile(filepath.Join(dir, name), file, 0o666); err != nil {
		t.Error(err)
	}
	if f := how.force; f != nil {
		t.Logf("%s: -d udp.port==0-65535,%s:%s", name, f.Protocol.Name, f.Dialect)
	}
}

// checked runs a capture with one worker, and fails for a fault of the program or a
// number that cannot be.
func checked(t *testing.T, file []byte, how plan) *yield {
	t.Helper()
	t.Cleanup(func() { keepFailed(t, file, how) })
	y := runEverything(t, file, how)
	for _, e := range y.internal {
		t.Errorf("internal error at frame %d: %s", e.Frame, e.Message)
	}
	for _, d := range y.doubts {
		t.Error(d)
	}
	return y
}

// same runs it with three workers, which must give the same.
func same(t *testing.T, file []byte, how plan, one *yield) {
	t.Helper()
	how.workers = 3
	many := runEverything(t, file, how)
	for _, pair := range [][2]string{{one.frames, many.frames}, {one.analysis, many.analysis}, {one.check, many.check}, {one.texts, many.texts}} {
		if pair[0] != pair[1] {
			t.Errorf("3 workers differ at %s", firstDifference(pair[1], pair[0]))
		}
	}
}

// valid holds its JSON to the schemas.
func valid(t *testing.T, schemas schemaSet, y *yield) {
	t.Helper()
	for _, text := range []string{y.frames, y.analysis, y.check} {
		if err := invalid(schemas, text); err != nil {
			t.Error(err)
		}
	}
}
