// Command mutate changes the program in one place at a time and tells which changes no
// test notices. The tree is never written: go test takes the changed file as an overlay.
//
//	go run ./internal/testbed/mutate -n 300 -seed 1
//	go run ./internal/testbed/mutate -only '^session/' -n 50 -resume
//	go run ./internal/testbed/mutate -only '^session/seq/' -tests '^(session/seq|dp8/track)$' -n 30
//
// Which changes are tried follows from the seed and the code alone. The first run measures
// the tests on the code as it is, for their times and to leave out those that fail anyway;
// -resume goes on where a run ended, and measures nothing again.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

func main() {
	c := campaign{}
	flag.IntVar(&c.n, "n", 300, "how many `changes` that compile are tried")
	flag.Uint64Var(&c.seed, "seed", 1, "which ones")
	only := flag.String("only", "", "`regular expression` of files, relative to the module")
	tests := flag.String("tests", "", "`regular expression` of packages whose tests are run, relative to the module: where they live on, others may notice")
	flag.StringVar(&c.dir, "dir", filepath.Join(os.TempDir(), "dpdissect-mutate"), "`folder` for what is known so far")
	flag.BoolVar(&c.resume, "resume", false, "go on where the last run ended")
	flag.DurationVar(&c.longest, "longest", 20*time.Second, "a test that takes longer, on the code as it is, is left out")
	flag.IntVar(&c.jobs, "p", 2, "`processes` at a time, in compiling")
	flag.Parse()
	var err error
	if c.tests, err = regexp.Compile(*tests); err == nil {
		c.only, err = regexp.Compile(*only)
	}
	if err == nil {
		c.root, err = filepath.Abs(".")
	}
	if err == nil {
		limitMemory()
		err = c.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run tries changes until there are enough, and prints what lived.
func (c *campaign) run() (err error) {
	changes, err := c.sample()
	if err == nil {
		err = c.open(changes)
	}
	if err != nil {
		return err
	}
	defer c.log.Close()
	fmt.Printf("%d changes of the program can be tried\n", len(changes))
	var results []result
	for i := range changes {
		if len(results) == c.n {
			break
		}
		r, err := c.try(&changes[i])
		if err != nil {
			return err
		}
		if r.Outcome != uncompiled {
			results = append(results, r)
			fmt.Printf("%4d %6.1f s  %-8s %s:%d: %s%s\n", len(results), r.Seconds, r.Outcome, r.File, r.Line, r.Name, r.by())
		}
	}
	summary(results)
	return nil
}

// sample gives all changes in the order in which the seed tries them.
func (c *campaign) sample() (all []change, err error) {
	files, err := sources(c.root)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if !c.only.MatchString(file) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(c.root, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		some, err := changesOf(file, text)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no file of the program matches %s", c.only)
	}
	rnd := rand.New(rand.NewPCG(c.seed, 0))
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all, nil
}

// summary counts, and lists what lived with the line it is in.
func summary(all []result) {
	counts, total := map[outcome]int{}, time.Duration(0)
	for i := range all {
		counts[all[i].Outcome]++
		total += time.Duration(all[i].Seconds * 1e9)
	}
	fmt.Printf("\n%d changes: %d noticed, %d noticed because nothing ended in time, %d lived; %.1f s each\n",
		len(all), counts[killed], counts[slow], counts[lived], total.Seconds()/float64(max(len(all), 1)))
	slices.SortFunc(all, func(a, b result) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
	for _, r := range all {
		if r.Outcome == lived {
			fmt.Printf("%s:%d: %s\n\t%s\n", r.File, r.Line, r.Name, r.Source)
		}
	}
}
