package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	dp4track "github.com/dpdissect/dpdissect/dp4/track"
	dp8track "github.com/dpdissect/dpdissect/dp8/track"
	hazeltrack "github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
	knettrack "github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session"
)

// TestRulesSteerNothing: connections that are followed without rules have the same numbers,
// states and messages, to the byte; all that is missing is what rules say.
func TestRulesSteerNothing(t *testing.T) {
	for _, c := range []struct {
		bare     *session.Protocol
		captures string // that were not made by the generator
	}{
		{hazeltrack.New(nil), "hazel/*.pcap*"},
		{dp4track.New(nil), "directplay/dp4*.pcap*"},
		{dp8track.New(dp8track.Options{}, nil), "directplay/*.pcap*"},
		{knettrack.New(nil), "knet/*.pcap*"},
	} {
		t.Run(c.bare.Name, func(t *testing.T) { rulesSteerNothing(t, c.bare, c.captures) })
	}
}

// rulesSteerNothing compares what p, which has no rules, makes of its traces with what the
// protocol with rules does.
func rulesSteerNothing(t *testing.T, p *session.Protocol, captures string) {
	bare := protocols.All(protocols.Options{})
	k := slices.IndexFunc(bare, func(x *session.Protocol) bool { return x.Protocol == p.Protocol })
	bare[k] = p
	traces, err := filepath.Glob("../../testdata/pcaps/" + p.Name + "/*.pcap*")
	if err != nil || len(traces) == 0 {
		t.Fatal("no traces:", err)
	}
	for _, path := range append(traces, pcaps.Files(t, captures)...) {
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
