package filter

import "testing"

// Match may not allocate, whatever the filter does apart from what doc.go names.
func TestAllocations(t *testing.T) {
	fr := testFrame()
	for group, exprs := range matching {
		for _, expr := range exprs {
			if f := compile(t, expr); !allocates(expr) {
				if n := testing.AllocsPerRun(20, func() { f.Match(fr, testTimes) }); n != 0 {
					t.Errorf("%s: %s: %v allocations", group, expr, n)
				}
			}
		}
	}
}

// allocates tells the documented exceptions.
func allocates(expr string) bool {
	for _, f := range []string{"lower(", "upper(", "string(", "[0,", "[ 0 ,"} {
		for i := 0; i+len(f) <= len(expr); i++ {
			if expr[i:i+len(f)] == f {
				return true
			}
		}
	}
	return false
}

var benchmarks = map[string]string{
	"one":          "tp.seq == 7",
	"three":        "tp.opcode == CONNECT and tp.seq > 3 and not tp.command_flags.cframe",
	"three-packet": "udp.port == 6073 and ip.addr == 10.0.0.0/8 and retry",
	"three-last":   "tp.payloads.size == 30 and tp.ordered == 0 and tp.sacked == 12",
	"short":        "udp.port == 1 and tp.seq > 3 and not tp.command_flags.cframe",
	"set":          "tp.seq in {1, 3..5, 7}",
	"contains":     `tp.body contains "llo"`,
	"matches":      `tp.name matches "^al"`,
}

func BenchmarkMatch(b *testing.B) {
	fr := testFrame()
	for name, expr := range benchmarks {
		b.Run(name, func(b *testing.B) {
			f := compile(b, expr)
			b.ReportAllocs()
			for b.Loop() {
				f.Match(fr, testTimes)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		compile(b, benchmarks["three"])
	}
}
