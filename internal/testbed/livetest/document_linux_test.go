package livetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
)

// A document is what "analyze --format json" prints, as far as it is looked at.
type document struct {
	Captures []struct {
		Path     string `json:"path"`
		Live     bool   `json:"live"`
		Packets  uint64 `json:"packets"`
		Received uint64 `json:"received"`
		Dropped  *uint64
	} `json:"captures"`
	Totals struct {
		Packets   int `json:"packets"`
		Datagrams int `json:"udp_datagrams"`
		Decoded   int `json:"decoded"`
		Malformed int `json:"malformed"`
		Fragments int `json:"ip_fragments"`
	} `json:"totals"`
	Connections []connection `json:"connections"`
}

type connection struct {
	ID         int                  `json:"id"`
	Protocol   string               `json:"protocol"`
	A          side                 `json:"a"`
	B          side                 `json:"b"`
	Complete   bool                 `json:"complete"`
	State      string               `json:"state"`
	SessionID  string               `json:"session_id"`
	Version    string               `json:"version"`
	Signing    string               `json:"signing"`
	Directions map[string]direction `json:"directions"`
}

type side struct {
	Address string `json:"address"`
}

type direction struct {
	tracegen.Direction
	Lost struct {
		Before      int `json:"before_capture"`
		After       int `json:"after_capture"`
		NotCaptured int `json:"not_captured"`
	} `json:"lost"`
	Signatures *struct {
		Valid        int `json:"valid"`
		Invalid      int `json:"invalid"`
		Unverifiable int `json:"unverifiable"`
	} `json:"signatures"`
	RTT *tracegen.RTT `json:"rtt"`
}

func readDocument(t *testing.T, text string) *document {
	t.Helper()
	d := new(document)
	if err := json.Unmarshal([]byte(text), d); err != nil {
		t.Fatalf("no document: %v in %q", err, text)
	}
	return d
}

// withoutCaptures is a document but for what it says of where the packets came from.
func withoutCaptures(t *testing.T, text string) string {
	t.Helper()
	begin := strings.Index(text, "\n  \"captures\": [")
	end := strings.Index(text, "\n  ],\n")
	if begin < 0 || end < begin {
		t.Fatalf("no captures in %q", text)
	}
	return text[:begin] + text[end+len("\n  ],"):]
}

// same holds one text to another, and shows the first lines that differ.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	var diff bytes.Buffer
	shown := 0
	for i := 0; i < max(len(g), len(w)) && shown < 10; i++ {
		a, b := "", ""
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			shown++
			fmt.Fprintf(&diff, "line %d: %.400s\n   file: %.400s\n", i+1, a, b)
		}
	}
	t.Errorf("%s: live and file differ (%d and %d lines)\n%s", what, len(g), len(w), &diff)
}

// of finds the connection of a truth.
func (d *document) of(t *testing.T, truth *wire.Truth) *connection {
	t.Helper()
	if len(truth.Connections) != 1 {
		t.Fatalf("the truth has %d connections", len(truth.Connections))
	}
	want := &truth.Connections[0]
	for i := range d.Connections {
		if c := &d.Connections[i]; c.A.Address == want.A.Address && c.B.Address == want.B.Address {
			return c
		}
	}
	t.Fatalf("no connection %s, %s of %s", want.A.Address, want.B.Address, want.Protocol)
	return nil
}

// checkTruth holds what was found out about a connection to what is true.
func checkTruth(t *testing.T, d *document, truth *wire.Truth) {
	t.Helper()
	got, want := d.of(t, truth), &truth.Connections[0]
	differ := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: %s is %s, want %s", nameOf(truth), what, g, w)
		}
	}
	differ("protocol", got.Protocol, want.Protocol)
	differ("complete", got.Complete, want.Complete)
	if want.SessionID != "" {
		differ("session", got.SessionID, want.SessionID)
		differ("version", got.Version, want.Version)
		differ("signing", got.Signing, want.Signing)
	}
	if want.State != "" {
		differ("state", got.State, want.State)
	}
	for _, key := range []string{"a", "b"} {
		checkDirection(differ, key, got.Directions[key], want.Directions[key])
	}
}

// nameOf names the connection of a truth.
func nameOf(truth *wire.Truth) string {
	c := &truth.Connections[0]
	return c.Protocol + " " + c.A.Address + " " + c.B.Address
}

func checkDirection(differ func(string, any, any), key string, got direction, want tracegen.Direction) {
	for _, n := range []struct {
		what      string
		got, want int
	}{
		{"frames", got.Frames, want.Frames},
		{"bytes", got.Bytes, want.Bytes},
		{"data_frames", got.DataFrames, want.DataFrames},
		{"acks", got.Acks, want.Acks},
		{"keepalives", got.KeepAlives, want.KeepAlives},
		{"retries", got.Retries, want.Retries},
		{"unneeded_retries", got.UnneededRetries, want.UnneededRetries},
		{"duplicates", got.Duplicates, want.Duplicates},
		{"out_of_order", got.OutOfOrder, want.OutOfOrder},
		{"gaps", got.Gaps, want.Gaps},
		{"missing", got.Missing, want.Missing},
		{"messages", got.NMessages, want.NMessages},
		{"message_bytes", got.MessageBytes, want.MessageBytes},
		{"incomplete_messages", got.Incomplete, want.Incomplete},
	} {
		differ(key+" "+n.what, n.got, n.want)
	}
	atMost := func(what string, got, most int) {
		if got > most {
			differ(key+" lost "+what, got, fmt.Sprint("at most ", most))
		}
	}
	atMost("before_capture", got.Lost.Before, want.Lost.Before)
	atMost("after_capture", got.Lost.After, want.Lost.After)
	atMost("not_captured", got.Lost.NotCaptured, want.Lost.NotCaptured)
	if s := want.Signatures; s != nil && got.Signatures != nil {
		differ(key+" valid signatures", got.Signatures.Valid, s.Valid)
		differ(key+" invalid signatures", got.Signatures.Invalid, s.Invalid)
	} else if s != nil && s.Valid > 0 {
		differ(key+" signatures", "absent", *s)
	}
	if want.RTT != nil {
		samples := 0
		if got.RTT != nil {
			samples = got.RTT.Samples
		}
		differ(key+" rtt samples", samples, want.RTT.Samples)
	}
}

// A finding as "check --format ndjson" has it.
type finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Verdict  string `json:"verdict"`
	Frame    int    `json:"frame"`
	Time     string `json:"time"`
}

func readFinding(t *testing.T, line string) (f finding) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	f.Time = strings.TrimSuffix(f.Time, "Z")
	return f
}

// epoch turns tshark's seconds since 1970 into the times of our records, without the
// zone.
func epoch(t *testing.T, s string) string {
	t.Helper()
	whole, part, _ := strings.Cut(s, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	nanos, err2 := strconv.ParseInt((part + "000000000")[:9], 10, 64)
	if err != nil || err2 != nil {
		t.Fatalf("a time %q", s)
	}
	return time.Unix(seconds, nanos).UTC().Format("2006-01-02T15:04:05.000000000")
}
