// Command tracegen makes the captures kept with the project, and large ones for
// benchmarks.
//
//	tracegen -out testdata/pcaps
//	tracegen -big 1000000 -seed 1 -kind full -o /tmp/full.pcap
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

func main() {
	out := flag.String("out", "", "folder the captures kept with the project are written to")
	proto := flag.String("proto", "", "only the captures of this protocol")
	big := flag.Int("big", 0, "write one capture of this many frames")
	seed := flag.Uint64("seed", 1, "seed of the large capture")
	kind := flag.String("kind", "none", "what talks: dp4, knet, knet-spec, hazel, or dp8 with the signing none, fast or full")
	file := flag.String("o", "big.pcap", "its file; the truth goes beside it")
	flag.Parse()
	var err error
	switch {
	case *big > 0:
		err = writeBig(*file, *big, *seed, *kind)
	case *out != "":
		if err = writeAll(*out, *proto); err == nil && *proto == "" {
			err = writeEnds(*out)
		}
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tracegen:", err)
		os.Exit(1)
	}
}

func writeAll(dir, proto string) error {
	for _, s := range tracegen.Scenarios() {
		if proto != "" && s.Proto != proto {
			continue
		}
		pcap, truth, err := s.Generate()
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(dir, s.Proto), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, s.File()), pcap, 0o666); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, s.TruthFile()), truth.JSON(), 0o666); err != nil {
			return err
		}
		fmt.Printf("%-28s %5d packets %7d bytes\n", s.Name, truth.Packets, len(pcap))
	}
	return nil
}

// writeEnds writes the sessions whose end is known.
func writeEnds(dir string) error {
	for _, e := range tracegen.EndTraces() {
		pcap, truth, err := e.Generate()
		if err != nil {
			return err
		}
		file := filepath.Join(dir, e.File())
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, pcap, 0o666); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, e.TruthFile()), truth, 0o666); err != nil {
			return err
		}
		fmt.Printf("%-28s %7d bytes\n", e.Name, len(pcap))
	}
	return nil
}

func writeBig(name string, frames int, seed uint64, kind string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	truth, err := tracegen.Big(w, frames, seed, kind)
	if err == nil {
		err = w.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	b, err := json.Marshal(truth)
	if err != nil {
		return err
	}
	return os.WriteFile(name+".truth.json", append(b, '\n'), 0o666)
}
