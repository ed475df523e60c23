package capfilter

import "testing"

// benchExpressions are filters as people write them.
var benchExpressions = []string{
	"udp port 2302",
	"udp",
	"host 10.0.0.1 and udp",
	"host 10.0.0.1",
	"tcp port 80 or 443",
	"port 53 or 80 or 443 or 2302",
	"net 10.0.0.0/8 and not udp port 53",
	"vlan and udp port 2302",
	"udp portrange 2302-2400 and host 10.0.0.1",
	"udp port 2302 and udp[8] = 0x3f",
	"ip and tcp[((tcp[12] & 0xf0) >> 2)] = 0x3f",
}

func newBenchVM(t testing.TB, expr string) *VM {
	prog, err := Compile(expr, ethernet)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := NewVM(prog)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

func BenchmarkCompile(b *testing.B) {
	for _, e := range benchExpressions {
		b.Run(e, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(e, ethernet); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMatch is one packet of the mix of the tests.
func BenchmarkMatch(b *testing.B) {
	all := packets(ethernet, 1024)
	for _, e := range benchExpressions {
		b.Run(e, func(b *testing.B) {
			vm := newBenchVM(b, e)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				p := &all[i%1024]
				vm.Match(p.data, p.wire)
				i++
			}
		})
	}
}
