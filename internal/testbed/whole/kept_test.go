package whole

import (
	"testing"

	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// TestKeptShardsSayTheSame: where a session follows noise between its addresses, which the reader tracks itself
// meanwhile (TestKeptShards), frames, messages, counters and findings are those of one worker.
func TestKeptShardsSayTheSame(t *testing.T) {
	w, path := tracegen.DrawDP8(900), wildFile(t)
	generate(t, &w.Scenario, path)
	captured.NoiseBefore(t, path, 6*1024)
	want := said(t, []string{path}, protocols.Options{}, 1, pipeline.NDJSON, session.HashMessages)
	for _, workers := range []int{2, 3} {
		if got := said(t, []string{path}, protocols.Options{}, workers, pipeline.NDJSON, session.HashMessages); got != want {
			t.Errorf("%d workers: %s", workers, firstDifference(got, want))
		}
	}
}
