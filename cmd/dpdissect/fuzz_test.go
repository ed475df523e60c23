package main

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/session"
)

// Fuzz targets of the whole pipeline, one a protocol: edited excerpts of the traces
// go through all that analyze, decode, messages and check do.

func FuzzDP8(f *testing.F)   { fuzzPipeline(f, "dp8") }
func FuzzDP4(f *testing.F)   { fuzzPipeline(f, "dp4") }
func FuzzKnet(f *testing.F)  { fuzzPipeline(f, "knet") }
func FuzzHazel(f *testing.F) { fuzzPipeline(f, "hazel") }

// validated is of how many inputs one is held to the schemas: reading JSON back
// takes longer than all the rest.
const validated = 8

func fuzzPipeline(f *testing.F, protocol string) {
	all, others := excerpts(f, protocol), strangersOf(f)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range all {
		edits := make([]byte, editBytes*(1+i%6))
		for k := range edits {
			edits[k] = byte(r.Uint32())
		}
		f.Add(uint16(i), byte(0), []byte{})
		f.Add(uint16(i), byte(r.Uint32()), edits)
	}
	force := forced(protocol)
	schemas := compiled(f)
	f.Fuzz(func(t *testing.T, which uint16, mode byte, edits []byte) {
		packets := edited(all[int(which)%len(all)].packets, others, edits)
		h := fnv.New32a()
		h.Write(edits)
		h.Write([]byte{byte(which), byte(which >> 8), mode})
		sum := h.Sum32()
		how := plan{workers: 1, tree: sum>>8%8 == 1, text: sum>>16%8 == 1}
		if mode&1 == 1 {
			how.force = &force[int(mode>>1)%len(force)]
		}
		holds(t, asFile(packets), how, schemas, sum%validated == 0 && !how.tree)
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

// strangersOf are packets of the traces of all protocols, to put into others.
func strangersOf(t testing.TB) (all []packet) {
	for i, path := range captures(t) {
		if protocol := filepath.Base(filepath.Dir(path)); i%7 == 0 && protocol != "" {
			whole := readPackets(t, path)
			for k := 0; k < len(whole); k += 1 + len(whole)/12 {
				all = append(all, whole[k])
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

// holds runs a capture with one worker and with three, and fails for what must not
// be: a fault of the program, a difference, a number that cannot be, and, where that
// is looked at, JSON that is not what the schemas say.
func holds(t *testing.T, file []byte, how plan, schemas schemaSet, validate bool) yield {
	t.Helper()
	t.Cleanup(func() { keepFailed(t, file, how) })
	one := runEverything(t, file, how)
	for _, e := range one.internal {
		t.Errorf("internal error at frame %d: %s", e.Frame, e.Message)
	}
	for _, d := range one.doubts {
		t.Error(d)
	}
	how.workers = 3
	many := runEverything(t, file, how)
	for _, pair := range [][2]string{{one.frames, many.frames}, {one.analysis, many.analysis}, {one.check, many.check}, {one.texts, many.texts}} {
		if pair[0] != pair[1] {
			t.Errorf("3 workers differ at line %s", difference(pair[1], pair[0]))
		}
	}
	if validate {
		for _, text := range []string{one.frames, one.analysis, one.check} {
			if err := invalid(schemas, text); err != nil {
				t.Error(err)
			}
		}
	}
	return one
}
