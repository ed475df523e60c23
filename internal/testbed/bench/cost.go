package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// The frames of the two captures whose difference is what a frame costs: the start of the
// program is in neither.
const (
	costFew  = 12_500
	costMany = 50_000
)

// cost shows what a frame costs on a simulated machine, so that any two machines agree:
// instructions, and misses of caches of 32 KiB for instructions, 32 KiB for data, and 1 MiB for
// both.
func cost(o *options) error {
	fmt.Println("| capture | instructions a frame | instruction misses | data misses | of them in the last level |")
	fmt.Println("|---|---:|---:|---:|---:|")
	if _, err := exec.LookPath("valgrind"); err != nil {
		fmt.Println("| | valgrind is not installed | | | |")
		return nil
	}
	for i := range kinds {
		k := &kinds[i]
		few, err := o.counted(k, costFew)
		if err != nil {
			return err
		}
		many, err := o.counted(k, costMany)
		if err != nil {
			return err
		}
		a := func(events ...int) (n float64) {
			for _, e := range events {
				n += (many[e] - few[e]) / (costMany - costFew)
			}
			return n
		}
		fmt.Printf("| %s | %.0f | %.1f | %.1f | %.1f |\n", k.title, a(instructions), a(missedFetch), a(missedRead, missedWrite), a(lastRead, lastWrite))
	}
	return nil
}

// The events that callgrind counts, in the order in which it prints them.
const (
	instructions = iota
	reads
	writes
	missedFetch
	missedRead
	missedWrite
	lastFetch
	lastRead
	lastWrite
	events
)

var collected = regexp.MustCompile(`Collected : ([\d ]+)`)

// counted gives the events of an analysis of a capture of so many frames.
func (o *options) counted(k *kind, frames int) (all [events]float64, err error) {
	path := o.path(k.name, frames)
	if _, err := k.make(o, frames); err != nil {
		return all, err
	}
	cmd := exec.Command("valgrind", append([]string{
		"--tool=callgrind", "--callgrind-out-file=/dev/null", "--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64",
	}, o.own(path, 1, "analyze", "--format", "json")...)...)
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off", "GOMAXPROCS=1", "GOGC=400") // valgrind stumbles over signals of the scheduler, and knows no RDTSCP
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return all, fmt.Errorf("valgrind: %w", err)
	}
	m := collected.FindStringSubmatch(said.String())
	if m == nil {
		return all, fmt.Errorf("valgrind counted nothing of %s", path)
	}
	for i, s := range strings.Fields(m[1]) {
		if i < events {
			all[i], _ = strconv.ParseFloat(s, 64)
		}
	}
	return all, nil
}
