package pipeline

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// openSizes are what an open connection of a file takes at most, in bytes, at 20 to 40
// datagrams a second each way, half a minute old: generous.
var openSizes = map[string]int64{"none": 100_000, "full": 102_000, "dp4": 122_000, "knet": 200_000, "knet-spec": 200_000, "hazel": 112_000}

// opens gives what n connections of a file use after 28 s.
func opens(script script, n int64) int64 {
	before := heap()
	p := newParty(session.Config{})
	for i := range n {
		p.join(script, i*1e6, 1<<60)
	}
	p.pass(28 * time.Second)
	size := heap() - before
	runtime.KeepAlive(p)
	return size
}

// TestOpenSize: a connection of a file that goes on takes no more than it needs.
func TestOpenSize(t *testing.T) {
	for _, kind := range callKinds() {
		t.Run(kind, func(t *testing.T) {
			script := scriptOf(t, kind, 30*time.Second, 50*time.Millisecond)
			size := grown(func(n int64) []int64 { return []int64{opens(script, n)} })[0]
			t.Logf("%d bytes", size)
			if most, known := openSizes[kind]; !known || size > most {
				t.Errorf("%d bytes an open connection, want no more than %d", size, most)
			}
		})
	}
}

// BenchmarkOpenConnections follows connections that are open at the same time, and tells
// what each of them takes.
func BenchmarkOpenConnections(b *testing.B) {
	for _, kind := range tracegen.CallKinds() {
		script := scriptOf(b, kind, 30*time.Second, 50*time.Millisecond)
		for _, n := range []int64{100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				size := int64(0)
				for b.Loop() {
					size = opens(script, n)
				}
				b.ReportMetric(float64(size)/float64(n), "B/conn")
			})
		}
	}
}
