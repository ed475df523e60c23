package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/explain"
)

// nasty is text from packets that would colour a terminal, break a table, run a script or
// turn the direction of a line around.
const nasty = "\x1b[31mred\x07 | `code` <script>alert(1)</script> [link](http://x) \u202eevil\u2066\nnext\r"

// TestExplainHostile checks that what packets carry reaches neither a terminal nor a ticket
// as it is.
func TestExplainHostile(t *testing.T) {
	d := &explain.Document{
		Connections: []explain.Connection{{Protocol: "hazel", A: nasty, B: nasty, State: nasty, ClosedBy: nasty,
			Verdict:      explain.Verdict{Cause: explain.Closed, Certainty: explain.Proved, Sentence: nasty, Reason: nasty, WouldRefute: nasty},
			Contributing: []explain.Contribution{{Cause: explain.Loss, Certainty: explain.Likely, Sentence: nasty}}}},
		Unrecognised: []explain.Unrecognised{{A: nasty, B: nasty, Sentence: nasty, Hint: nasty, Guess: "hazel"}},
		Asked:        &explain.Asked{Text: nasty, Sentence: nasty},
		Span:         nasty,
	}
	var text, ticket bytes.Buffer
	if err := WriteExplainText(&text, nil, d, TextOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if err := WriteExplainMarkdown(&ticket, nil, d, nil); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"text": text.String(), "markdown": ticket.String()} {
		for _, bad := range []string{"\x1b", "\x07", "\r", "\u202e", "\u2066", "\nnext"} {
			if strings.Contains(out, bad) {
				t.Errorf("%s holds %q:\n%q", name, bad, out)
			}
		}
		if strings.Count(out, "red") < 4 {
			t.Errorf("%s left the words out, too:\n%s", name, out)
		}
	}
	for _, bad := range []string{"<script", "[link](http", " | ", " `code"} {
		if strings.Contains(ticket.String(), bad) {
			t.Errorf("markdown holds %q:\n%s", bad, ticket.String())
		}
	}
}

// TestExplainLeftOut: address pairs that are not remembered are told in every format.
func TestExplainLeftOut(t *testing.T) {
	d := &explain.Document{Connections: []explain.Connection{}, Unrecognised: []explain.Unrecognised{}, LeftOut: 7}
	var text, ticket, doc bytes.Buffer
	for _, err := range []error{WriteExplainText(&text, nil, d, TextOptions{Width: 80}), WriteExplainMarkdown(&ticket, nil, d, nil), WriteExplainJSON(&doc, nil, d)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	says := "how 7 address pairs came to be"
	if !strings.Contains(text.String(), says) || !strings.Contains(ticket.String(), says) || !strings.Contains(doc.String(), `"unrecognised_left_out": 7`) {
		t.Errorf("%s\n%s\n%s", text.String(), ticket.String(), doc.String())
	}
	if err := check(schemaOf(t, "explain"), doc.Bytes()); err != nil {
		t.Error(err)
	}
}

// TestWhyNone: a capture without connections leads on, also an empty one.
func TestWhyNone(t *testing.T) {
	for _, x := range []struct {
		packets, udp uint64
		says         string
	}{{0, 0, "The capture has no packets"}, {9, 0, "The capture has no UDP"}, {9, 9, "There is UDP"}} {
		var all Totals
		all.Packets, all.UDPDatagrams = x.packets, x.udp
		if got := WhyNone(&all); !strings.HasPrefix(got, x.says) {
			t.Errorf("%d packets, %d of UDP: %q", x.packets, x.udp, got)
		}
	}
}
