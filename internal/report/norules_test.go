package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	dp8track "github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/hazel"
	hazeltrack "github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
)

// TestRulesSteerNothing: connections that are followed without rules have the same numbers,
// states and messages, to the byte; all that is missing is what rules say.
func TestRulesSteerNothing(t *testing.T) {
	bare := protocols.All(protocols.Options{})
	for i, p := range bare {
		switch p.Protocol {
		case hazel.Hazel:
			bare[i] = hazeltrack.New(nil)
		case dp8.DP8:
			bare[i] = dp8track.Follow(dp8track.Options{})
		}
	}
	for name, captured := range map[string]string{"hazel": "hazel/*.pcap*", "dp8": "directplay/*.pcap*"} {
		traces, err := filepath.Glob("../../testdata/pcaps/" + name + "/*.pcap*")
		if err != nil || len(traces) == 0 {
			t.Fatal("no traces:", err)
		}
		for _, path := range append(traces, pcaps.Files(t, captured)...) {
			with, messages := analyse(t, path)
			without, alike := analyseWith(t, path, bare)
			if got, want := numbers(t, without), numbers(t, with); !bytes.Equal(got, want) {
				t.Errorf("%s: %s", path, difference(got, want))
			}
			if !slices.EqualFunc(messages, alike, bytes.Equal) {
				t.Errorf("%s: messages differ", path)
			}
		}
	}
}

// numbers is an analysis without what rules say.
func numbers(t *testing.T, a *report.Analysis) []byte {
	t.Helper()
	var doc bytes.Buffer
	if err := report.WriteJSON(&doc, a); err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(doc.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "findings")
	for _, c := range v["connections"].([]any) {
		delete(c.(map[string]any), "findings")
	}
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// difference is the first line in which two texts differ.
func difference(got, want []byte) string {
	a, b := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			return "without rules " + string(a[i]) + ", with them " + string(b[i])
		}
	}
	return "one is longer"
}
