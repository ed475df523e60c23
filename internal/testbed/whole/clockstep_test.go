package whole

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
	"github.com/dpdissect/dpdissect/session/conform"
)

// clockTraces are short traces of all protocols, of peers that lose, close, vanish
// and start again.
var clockTraces = []string{
	"dp8/unsigned-clean.pcap", "dp8/refused.pcap", "dp8/killed-peer.pcap",
	"dp4/eager-clean.pcap", "dp4/peer-vanishes.pcap",
	"knet/clean-reference.pcap", "knet/lossy-page.pcap",
	"hazel/clean-current.pcap", "hazel/restart.pcap", "hazel/lossy-spec.pcap",
}

// clockSteps are by how much somebody sets a clock, in ns.
var clockSteps = []int64{1, 1e8, 3600e9, 31_557_600e9}

// TestClockSteps sets the clock at every place of ten traces, forwards and back, by
// a tenth of a second to a year: no fault, the same with three workers, JSON as the
// schemas say, every datagram still counted, and a clock that is set back is held against
// nobody. Each place has its turn with half of the steps, or all of them: see everyCase.
func TestClockSteps(t *testing.T) {
	schemas := compiled(t)
	for n, name := range clockTraces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := excerpt.Read(t, filepath.Join("../../../testdata/pcaps", filepath.FromSlash(name)))
			whole = whole[:min(len(whole), 2*excerpt.Packets)]
			plain := runEverything(t, excerpt.AsFile(whole), plan{workers: 1})
			for at := range whole {
				for k, step := range slices.Concat(clockSteps, negated(clockSteps)) {
					if (at+k)%2 != 0 && !everyCase() {
						continue
					}
					stepped := slices.Clone(whole)
					for i := at; i < len(stepped); i++ {
						stepped[i].Time += uint64(step)
					}
					file, how := excerpt.AsFile(stepped), plan{workers: 1, all: at%8 == k}
					y := checked(t, file, how)
					if (at+k+2*n)%4 == 0 {
						same(t, file, how, y)
					}
					if (at+k+2*n)%16 == 0 {
						valid(t, schemas, y)
					}
					if step < 0 && endpointFindings(y) > endpointFindings(plain) {
						t.Errorf("%d findings, %d without the step", endpointFindings(y), endpointFindings(plain))
					}
					if t.Failed() {
						t.Fatalf("the clock is set by %d ns at packet %d", step, at+1)
					}
				}
			}
		})
	}
}

func negated(steps []int64) (out []int64) {
	for _, s := range steps {
		out = append(out, -s)
	}
	return out
}

// endpointFindings counts the findings on endpoints.
func endpointFindings(y *yield) (n uint64) {
	for _, c := range y.conns {
		n += c.Findings[conform.Error] + c.Findings[conform.Warn]
	}
	return n
}
