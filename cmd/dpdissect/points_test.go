package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// twoPoints is secondPoint for scripts: twoPoints FROM TO
func twoPoints(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: twoPoints FROM TO")
	}
	ts.Check(secondPoint(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}

// secondPoint writes what a second capture point would have of a capture of Ethernet and
// IPv4: what the sender of the first packet sends comes 20 ms later, what the other side
// sends was there 20 ms earlier, and each 40th packet is missing.
func secondPoint(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	r, err := capture.NewReader(in)
	if err != nil {
		return err
	}
	var w *capture.Writer
	var near uint32
	for i := 1; ; i++ {
		var rec capture.Record
		if r.Next(&rec) != nil {
			return w.Flush()
		}
		if w == nil {
			near = binary.BigEndian.Uint32(rec.Data[26:])
			if w, err = capture.NewWriter(out, capture.WriterOptions{Format: "pcap", Nanoseconds: true, Interfaces: []capture.Interface{{Link: rec.Link}}}); err != nil {
				return err
			}
		}
		if i%40 == 0 {
			continue
		}
		rec.Time += 20e6
		if binary.BigEndian.Uint32(rec.Data[26:]) != near {
			rec.Time -= 40e6
		}
		if err := w.Write(&rec); err != nil {
			return err
		}
	}
}

// how says how two captures of one session are told of each by itself: some commands draw them together.
func how(command string) string {
	if command == "ladder" || command == "timeline" {
		return "alone"
	}
	return "auto"
}

// TestPointsValidate checks the JSON of two capture points against its schema, and that of
// each file against the command's.
func TestPointsValidate(t *testing.T) {
	client, server := capturePath(t, "full-signed-lossy.pcap"), filepath.Join(t.TempDir(), "server.pcap")
	if err := secondPoint(client, server); err != nil {
		t.Fatal(err)
	}
	whole := schema(t, "points")
	for command, name := range map[string]string{"analyze": "analysis", "explain": "explain", "timeline": "interval", "decode": "frame", "messages": "message", "ladder": "ladder"} {
		one := schema(t, name)
		for _, v := range records(t, output(t, command, "--format", "json", "--same-session", how(command), client, server)) {
			if err := whole.Validate(v); err != nil {
				t.Errorf("%s: %v", command, err)
			}
			files := v.(map[string]any)["files"].([]any)
			if len(files) != 2 {
				t.Errorf("%s: %d files", command, len(files))
			}
			for _, f := range files {
				report := f.(map[string]any)["report"]
				list, ok := report.([]any)
				if !ok {
					list = []any{report}
				}
				for _, r := range list {
					if err := one.Validate(r); err != nil {
						t.Errorf("%s: %v", command, err)
					}
				}
			}
		}
	}
}
