package main

import (
	"encoding/binary"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// twoPoints writes what a second capture point would have of a capture of Ethernet and
// IPv4: what the sender of the first packet sends comes 20 ms later, what the other side
// sends was there 20 ms earlier, and each 40th packet is missing: twoPoints FROM TO
func twoPoints(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: twoPoints FROM TO")
	}
	in, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer in.Close()
	out, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	defer out.Close()
	r, err := capture.NewReader(in)
	ts.Check(err)
	var w *capture.Writer
	var near uint32
	for i := 1; ; i++ {
		var rec capture.Record
		if r.Next(&rec) != nil {
			break
		}
		if w == nil {
			near = binary.BigEndian.Uint32(rec.Data[26:])
			w, err = capture.NewWriter(out, capture.WriterOptions{Format: "pcap", Nanoseconds: true, Interfaces: []capture.Interface{{Link: rec.Link}}})
			ts.Check(err)
		}
		if i%40 == 0 {
			continue
		}
		rec.Time += 20e6
		if binary.BigEndian.Uint32(rec.Data[26:]) != near {
			rec.Time -= 40e6
		}
		ts.Check(w.Write(&rec))
	}
	ts.Check(w.Flush())
}
