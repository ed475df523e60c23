package pipeline

import (
	"os"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/state"
	"github.com/dpdissect/dpdissect/session"
)

// BenchmarkState writes and reads the state of a run over DPDISSECT_STATE_OF.
func BenchmarkState(b *testing.B) {
	path := os.Getenv("DPDISSECT_STATE_OF")
	if path == "" {
		b.Skip("DPDISSECT_STATE_OF names no capture")
	}
	cfg := session.Config{Protocols: protocols.All(protocols.Options{}), Endings: true, Pack: true}
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r := &Run{Source: src, Config: cfg, Workers: 1}
	f := new(Findings)
	f.Attach(r)
	kept := func() []any { return []any{f} }
	h, file := state.Head{}, []byte(nil)
	r.State = &State{Kept: kept, Leave: func(left []byte, m int64) error {
		file = h.Seal(left, m)
		r.State.Leave = func(left []byte, m int64) error { h.Seal(left, m); return nil }
		b.Run("write", func(b *testing.B) {
			for b.Loop() {
				if err := r.leave(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(file)), "bytes")
			b.ReportMetric(float64(len(left)), "unpacked")
			b.ReportMetric(float64(m), "memory")
		})
		return nil
	}}
	if err := r.Do(); err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			_, open, err := state.Open(file)
			if err != nil {
				b.Fatal(err)
			}
			body, err := open()
			if err != nil {
				b.Fatal(err)
			}
			to := &Run{Source: src, Config: cfg, State: &State{From: body, Most: state.Memory(len(file)), Kept: func() []any { return []any{new(Findings)} }}}
			to.tables = newTables(cfg, nil)
			if err := to.resume(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
