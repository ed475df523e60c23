// Command bench measures dpdissect against other readers of captures, on large generated
// captures: CPU time (user and system) and resident memory of whole processes. It prints
// Markdown.
package main

import (
	"flag"
	"fmt"
	"os"
)

// options are the flags.
type options struct {
	bin    string
	frames int
	few    int
	runs   int
	most   int
	dir    string
	cost   bool
	plugin bool
	ends   bool
}

func main() {
	var o options
	flag.IntVar(&o.frames, "frames", 1_000_000, "frames of a capture")
	flag.IntVar(&o.few, "few", 100_000, "frames of the capture for slow rivals")
	flag.IntVar(&o.runs, "runs", 5, "runs of each command, of which the one that took the least counts")
	flag.IntVar(&o.most, "most", 10_000_000, "frames of the longest capture read from standard input, 50000000 for the whole table")
	flag.StringVar(&o.dir, "dir", os.TempDir(), "folder of the captures, which are kept there")
	flag.BoolVar(&o.cost, "cost", false, "show what a frame costs on a simulated machine, and nothing else (needs valgrind)")
	flag.BoolVar(&o.plugin, "plugin", false, "show what the plugin for Wireshark costs tshark, and nothing else")
	flag.BoolVar(&o.ends, "ends", false, "show what compare costs beside analyze, and nothing else")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: bench [flags] PATH-OF-DPDISSECT")
		os.Exit(2)
	}
	o.bin = flag.Arg(0)
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(o *options) error {
	if o.cost {
		return cost(o)
	}
	if o.plugin {
		return plugin(o)
	}
	if o.ends {
		return ends(o)
	}
	made, err := makeCaptures(o)
	if err != nil {
		return err
	}
	if made {
		return again()
	}
	for _, table := range []func(*options) error{cost, besideTcpdump, besideTheRest, plugin, workers, byConnections, byPackets} {
		if err := table(o); err != nil {
			return err
		}
		fmt.Println()
	}
	return nil
}
