// Lab tries the rules: false findings on edited captures of conforming endpoints,
// mutants that must be found, and how accurate the analysis is.
//
//	lab soak      edits captures until enough frames are judged
//	lab replay    judges one edited capture, as soak prints it
//	lab mutants   prints the mutation score
//	lab ends      explains sessions whose end is known, and tells what is said wrongly
//	lab pairs     compares captures at two points, and tells what is said wrongly
//	lab accuracy  prints docs/accuracy.md
//	lab reduce    reduces the captures of mutants to their findings
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/dpdissect/dpdissect/internal/testbed/lab"
	"github.com/dpdissect/dpdissect/internal/testbed/pairs"
)

func main() {
	commands := map[string]func(args []string) error{"soak": soak, "replay": replay, "mutants": mutants, "accuracy": accuracy, "ends": ends, "reduce": reduced, "pairs": paired}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: lab soak|replay|mutants|ends|pairs|accuracy|reduce [flags]")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1)
	}
}

func soak(args []string) error {
	var o lab.SoakOptions
	f := flag.NewFlagSet("soak", flag.ExitOnError)
	f.Int64Var(&o.Frames, "frames", 10e6, "frames to judge")
	f.DurationVar(&o.Time, "time", 0, "stop after that")
	f.Uint64Var(&o.Seed, "seed", 1, "of the first random session")
	f.IntVar(&o.Rounds, "rounds", 40, "edits of each session")
	f.IntVar(&o.Workers, "workers", runtime.NumCPU(), "sessions judged at a time")
	f.BoolVar(&o.Mutants, "mutants", true, "edit the captures of mutants, too")
	f.StringVar(&o.Only, "only", "", "only sessions with that in their name")
	proto := f.String("proto", "", "only these protocols: dp8,knet")
	f.Parse(args)
	if *proto != "" {
		o.Protos = strings.Split(*proto, ",")
	}
	s := o.Run()
	s.Write(os.Stdout)
	if s.Err != nil || len(s.Faults) > 0 {
		return fmt.Errorf("%d rules accuse conforming endpoints", len(s.Faults))
	}
	return nil
}

func mutants([]string) error {
	if !lab.WriteScores(os.Stdout, lab.Scores()) {
		return errors.New("the mutation score is not complete")
	}
	return nil
}

func replay(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf(`usage: lab replay dp8/wild-7 "drop 3-5; swap 9"`)
	}
	s, err := lab.Find(args[0])
	if err != nil {
		return err
	}
	ops, err := lab.ParseOps(args[1])
	if err != nil {
		return err
	}
	s.Replay(os.Stdout, ops)
	return nil
}

func accuracy(args []string) error {
	f := flag.NewFlagSet("accuracy", flag.ExitOnError)
	sessions := f.Int("sessions", 200, "of each protocol under each condition")
	seeds := f.Int("seeds", 5, "of each mutant under each capture loss")
	endSeeds := f.Int("ends", 5, "seeds of each session whose end is known, at each place")
	whole := f.Bool("whole", false, "print all tables, not only those of docs/accuracy.md")
	f.Parse(args)
	a := lab.Measure(*sessions)
	detections, err := lab.Detect(lab.Mutants(), *seeds)
	ends, err2 := lab.Ends(lab.EndOptions{Seeds: *endSeeds})
	if err := errors.Join(a.Err, err, err2); err != nil {
		return err
	}
	lab.WriteAccuracy(os.Stdout, *whole, a, detections, *seeds, ends, *endSeeds)
	return nil
}

func ends(args []string) error {
	var o lab.EndOptions
	f := flag.NewFlagSet("ends", flag.ExitOnError)
	f.IntVar(&o.Seeds, "seeds", 1, "of each session at each place")
	f.Uint64Var(&o.First, "first", 1, "seed")
	f.StringVar(&o.Only, "only", "", "only runs whose name begins with that: hazel, hazel/cut; a whole name is shown: hazel/cut/middle/5/1")
	paper := f.Bool("markdown", false, "print their part of docs/accuracy.md")
	moments := f.Bool("moments", false, "ask what happened at the times at which it did, and at quiet times")
	missing := f.Bool("missing", false, "with -moments, ask captures that miss packets, too")
	file := f.String("w", "", "write the capture of the run named by -only there")
	f.Parse(args)
	if run, err := lab.ParseEndRun(o.Only); err == nil {
		if *moments {
			run = run.Later()
		}
		return showEnd(run, *file)
	}
	if *moments {
		if *missing {
			o.Losses = lab.EndLosses
		}
		all, err := lab.Moments(o)
		if err == nil {
			lab.WriteMoments(os.Stdout, all)
		}
		return err
	}
	all, err := lab.Ends(o)
	if err != nil {
		return err
	}
	if *paper {
		lab.WriteEndAccuracy(os.Stdout, all, o.Seeds)
	} else {
		lab.WriteEnds(os.Stdout, all)
	}
	return nil
}

// showEnd prints what is true of a run and what is said of it.
func showEnd(run lab.EndRun, file string) error {
	s, err := run.Play()
	if err != nil {
		return err
	}
	if file != "" {
		out, err := os.Create(file)
		if err != nil {
			return err
		}
		if err := errors.Join(s.Write(out), out.Close()); err != nil {
			return err
		}
	}
	d, err := lab.Explained(s)
	if err != nil {
		return err
	}
	print := json.NewEncoder(os.Stdout)
	print.SetIndent("", "  ")
	print.SetEscapeHTML(false)
	return errors.Join(print.Encode(s.Truth), print.Encode(d))
}

func paired(args []string) error {
	o := lab.PairOptions{}
	f := flag.NewFlagSet("pairs", flag.ExitOnError)
	f.IntVar(&o.Seeds, "seeds", 2, "of each condition with each protocol")
	f.Uint64Var(&o.First, "first", 1, "seed")
	f.StringVar(&o.Only, "only", "", "only runs whose name begins with that, or of that condition: hazel, router, hazel/router/7")
	f.StringVar(&o.Program, "program", "bin/dpdissect", "the program that compares")
	endSeeds := f.Int("ends", 1, "seeds of each session whose end is known")
	file := f.String("w", "", "write the captures of the run named by -only, and what is true of them, to files that begin with that")
	paper := f.Bool("markdown", false, "print their part of docs/accuracy.md")
	live := f.String("live", "", "a folder of real sessions, captured at both sides, in the place of generated ones")
	f.Parse(args)
	if *live != "" {
		sessions, err := lab.LiveSessions(*live)
		if err != nil {
			return err
		}
		o.Live, *endSeeds = sessions, 0
	}
	if *file != "" {
		return writePair(o, *file)
	}
	all := lab.Pairs(o)
	o.Seeds = *endSeeds
	ends := lab.LiveEnds(o)
	if *endSeeds > 0 {
		ends = lab.PairedEnds(o, lab.PairEndLosses)
	}
	if *paper {
		lab.WritePairAccuracy(os.Stdout, all, ends)
		return nil
	}
	lab.WritePairs(os.Stdout, all, ends)
	return lab.PairsGood(all, ends)
}

// writePair writes the captures of a pair.
func writePair(o lab.PairOptions, prefix string) error {
	name := o.Only
	take := func() (*pairs.Pair, error) {
		if end, err := lab.ParsePairedEnd(name); err == nil {
			p, truths, err := end.TakeEnd()
			if err == nil {
				print := json.NewEncoder(os.Stdout)
				print.SetIndent("", "  ")
				err = print.Encode(truths[2])
			}
			return p, err
		}
		run, err := o.Run(name)
		if err != nil {
			return nil, err
		}
		return run.Take()
	}
	p, err := take()
	if err == nil {
		_, err = lab.WritePair(p, prefix)
	}
	return err
}

func reduced(args []string) error {
	f := flag.NewFlagSet("reduce", flag.ExitOnError)
	every := f.Int("every", 1, "only one mutant of so many")
	only := f.String("only", "", "only mutants with that in their name")
	f.Parse(args)
	var all []lab.Reduced
	for i, m := range lab.Mutants() {
		if m.Near || i%*every != 0 || !strings.Contains(m.Rule+" "+m.Name, *only) {
			continue
		}
		of, err := m.Reduce()
		if err != nil {
			return err
		}
		all = append(all, of...)
	}
	if !lab.WriteReduced(os.Stdout, all) {
		return errors.New("captures are not as small as they should be, or not what they say")
	}
	return nil
}
