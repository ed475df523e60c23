package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
)

// endTruth is what a relay and the libraries logged of how a connection ended, and what a
// capture at one of two points may say of it.
type endTruth struct {
	Troubled, Healthy []string
	sayable
	Client, Server *sayable // where they may say different things
}

type sayable struct {
	Cause              string
	Accept             []string
	MustNotClaim       []string `json:"must_not_claim"`
	Contributing       []string
	AcceptContributing []string `json:"accept_contributing"`
}

// at is what may be said at a capture point.
func (e *endTruth) at(point string) *sayable {
	switch {
	case point == "client" && e.Client != nil:
		return e.Client
	case point == "server" && e.Server != nil:
		return e.Server
	}
	return &e.sayable
}

// An endOf is what explain says of the end of a connection, as far as it is compared.
type endOf struct {
	A, B         string
	Verdict      struct{ Cause, Sentence string }
	Contributing []struct{ Cause string }
}

// TestCapturedEnds: of real connections of Hazel and kNet, whose trouble a relay and the
// libraries logged, explain says what happened and nothing that did not; the connections
// beside them closed in order.
func TestCapturedEnds(t *testing.T) {
	for _, file := range pcaps.Files(t, "ends/*") {
		name := pcaps.Name(file)
		t.Run(name, func(t *testing.T) {
			var truth endTruth
			pcaps.Truth(t, file, &truth)
			want := truth.at(name[len(name)-len("client"):])
			var doc struct{ Connections []endOf }
			if err := json.Unmarshal([]byte(printed(t, "explain", "--format", "json", file)), &doc); err != nil {
				t.Fatal(err)
			}
			troubled, healthy := 0, 0
			for _, c := range doc.Connections {
				switch {
				case among(truth.Troubled, c):
					troubled++
					want.judge(t, &c)
				case among(truth.Healthy, c):
					if healthy++; c.Verdict.Cause != "closed" {
						t.Errorf("%s was closed in order: %s", c.A, c.Verdict.Sentence)
					}
				}
			}
			if troubled != len(truth.Troubled) || healthy != len(truth.Healthy) {
				t.Errorf("%d troubled connections and %d others, want %d and %d", troubled, healthy, len(truth.Troubled), len(truth.Healthy))
			}
		})
	}
}

// among reports a connection of one of the addresses.
func among(addresses []string, c endOf) bool {
	return slices.Contains(addresses, c.A) || slices.Contains(addresses, c.B)
}

// judge compares what explain says of a connection with what may be said.
func (s *sayable) judge(t *testing.T, c *endOf) {
	t.Helper()
	if c.Verdict.Cause != s.Cause && !slices.Contains(s.Accept, c.Verdict.Cause) {
		t.Errorf("%s: want %s, or one of %v", c.Verdict.Sentence, s.Cause, s.Accept)
	}
	var causes []string
	for _, x := range c.Contributing {
		causes = append(causes, x.Cause)
		harmless := slices.Contains(s.Contributing, x.Cause) || slices.Contains(s.AcceptContributing, x.Cause)
		if slices.Contains(s.MustNotClaim, x.Cause) || slices.Contains(s.MustNotClaim, "*") && !harmless {
			t.Errorf("%s did not contribute", x.Cause)
		}
	}
	for _, x := range s.Contributing {
		if !slices.Contains(causes, x) {
			t.Errorf("%s contributed and is not among %q", x, causes)
		}
	}
}

// TestCapturedOffload: of super-packets of segmentation offload, as the sender's own host
// captures them, every message is counted, and nothing is called lost. The sender logged
// 102 reliable messages of 1,003 bytes, the server that it got them and answered 103 times.
func TestCapturedOffload(t *testing.T) {
	var doc struct {
		Connections []struct {
			Directions map[string]struct {
				Messages, Missing, Retries, Acks float64
				MessageBytes                     float64 `json:"message_bytes"`
			}
		}
	}
	file := pcaps.Files(t, "offload/hazel-gso-superpackets.*")[0]
	if err := json.Unmarshal([]byte(printed(t, "analyze", "--format", "json", file)), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Connections) != 1 {
		t.Fatalf("%d connections", len(doc.Connections))
	}
	a, b := doc.Connections[0].Directions["a"], doc.Connections[0].Directions["b"]
	if a.Messages != 102 || a.MessageBytes != 102*1003 || a.Missing != 0 || a.Retries != 0 || b.Acks != 103 {
		t.Errorf("%+v, %+v", a, b)
	}
}
