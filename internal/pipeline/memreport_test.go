package pipeline

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

func TestMemReport(t *testing.T) {
	const n = 500
	for _, kind := range tracegen.CallKinds() {
		if k := os.Getenv("MEMKIND"); k != "" && k != kind {
			continue
		}
		for _, pause := range []time.Duration{50 * time.Millisecond, 20 * time.Millisecond} {
			script := scriptOf(t, kind, 46*time.Second, pause)
			before := heap()
			c := newParty(session.Config{Idle: session.DefaultIdle, Lean: os.Getenv("LEAN") != ""})
			for i := range n {
				c.join(script, int64(i)*2e6, 1<<60)
			}
			line := fmt.Sprintf("%-10s %3dms: %4d dg/s", kind, pause.Milliseconds(), len(script)/46)
			for _, at := range []int{10, 45} {
				c.pass(time.Duration(at)*time.Second - time.Duration(c.now-1e18))
				line += fmt.Sprintf("; %ds %6d B/conn", at, (heap()-before)/n)
			}
			if os.Getenv("MEMPROF") != "" {
				f, _ := os.Create("/tmp/h-memory-" + kind + ".prof")
				runtime.GC()
				pprof.Lookup("heap").WriteTo(f, 0)
				f.Close()
			}
			c.pass(30 * time.Second)
			c.now += 65e9
			c.whisper()
			c.now += 35e9
			c.whisper()
			line += fmt.Sprintf("; ended %6d B/conn (%d conns, %d done)", (int64(heap())-int64(before))/n, c.conns(), len(c.guests))
			t.Log(line)
			runtime.KeepAlive(c)
			if os.Getenv("MEMPROF") != "" {
				break
			}
		}
	}
}
