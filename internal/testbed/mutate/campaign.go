package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A campaign is a run of this program.
type campaign struct {
	n, jobs int
	seed    uint64
	longest time.Duration  // of a test that is run for each change
	only    *regexp.Regexp // files
	tests   *regexp.Regexp // packages
	dir     string
	resume  bool

	root  string
	packs []*pack
	known map[string]result // by key: what an earlier run found
	log   *os.File
}

type outcome string

const (
	killed     outcome = "noticed"
	slow       outcome = "slow" // a test did not end in time
	lived      outcome = "lived"
	uncompiled outcome = "uncompiled"
)

// A result says what became of a change.
type result struct {
	change
	Source  string // the line it is in
	Outcome outcome
	By      string // the package whose tests noticed it
	Seconds float64
}

func (r *result) by() string {
	if r.By == "" {
		return ""
	}
	return ", by " + strings.TrimPrefix(r.By, module)
}

// open gets ready to try changes: it knows what an earlier run found, and the tests that
// may notice them.
func (c *campaign) open(changes []change) (err error) {
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	if c.packs, err = tested(c.root); err != nil {
		return err
	}
	c.packs = slices.DeleteFunc(c.packs, func(p *pack) bool {
		return !c.tests.MatchString(strings.TrimPrefix(p.Path, module)) || !slices.ContainsFunc(changes, func(ch change) bool { return p.needs[ch.pack()] })
	})
	results, measured := filepath.Join(c.dir, "results.ndjson"), filepath.Join(c.dir, "tests.json")
	if !c.resume {
		if err := errors.Join(os.RemoveAll(results), os.RemoveAll(measured)); err != nil {
			return err
		}
	}
	if err := errors.Join(c.measure(measured), c.read(results)); err != nil {
		return err
	}
	c.log, err = os.OpenFile(results, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	return err
}

// read takes over what an earlier run found.
func (c *campaign) read(results string) error {
	c.known = map[string]result{}
	b, err := os.ReadFile(results)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		var r result
		if json.Unmarshal([]byte(line), &r) == nil { // the last line may be cut short
			c.known[r.key()] = r
			c.credit(r.By)
		}
	}
	return err
}

// credit counts what the tests of a package noticed.
func (c *campaign) credit(by string) {
	for _, p := range c.packs {
		if p.Path == by {
			p.Kills++
		}
	}
}

// measure runs the tests on the code as it is, where no earlier run did.
func (c *campaign) measure(file string) error {
	known := map[string]*pack{}
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &known)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, p := range c.packs {
		if k := known[p.Path]; k != nil {
			p.Seconds, p.Skip = k.Seconds, k.Skip
			continue
		}
		if err := c.measureOne(p); err != nil {
			return err
		}
		fmt.Printf("%6.1f s  %s, without %q\n", p.Seconds, strings.TrimPrefix(p.Path, module), p.Skip)
		known[p.Path] = p
		if b, err = json.MarshalIndent(known, "", " "); err == nil {
			err = os.WriteFile(file, b, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// measureOne runs the tests of a package, and leaves out those that fail anyway or take
// too long to be run for each change.
func (c *campaign) measureOne(p *pack) error {
	start := time.Now()
	said, failed := c.test(p, p.Path, "", 30*time.Minute)
	p.Seconds = time.Since(start).Seconds()
	for _, m := range endOfTest.FindAllSubmatch(said, -1) {
		name := string(m[2])
		took, err := time.ParseDuration(string(m[3]))
		if err != nil {
			return err
		}
		switch fails := string(m[1]) == "FAIL"; {
		case fails || took > c.longest:
			p.Skip, p.Seconds = append(p.Skip, name), p.Seconds-took.Seconds()
			if fails {
				failed = nil
			}
		case !regexp.MustCompile(goldens[p.Path]).MatchString(name):
			p.Seconds -= took.Seconds()
		}
	}
	if failed != nil {
		return fmt.Errorf("the tests of %s fail on the code as it is: %w\n%s", p.Path, failed, said)
	}
	return nil
}

// endOfTest finds what go test -v says of a test: how it ended, its name, how long it took.
var endOfTest = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\w+) \((\S+)\)$`)

// try makes a change and runs tests until one notices it.
func (c *campaign) try(ch *change) (r result, err error) {
	if r, ok := c.known[ch.key()]; ok {
		return r, nil
	}
	file := filepath.Join(c.root, filepath.FromSlash(ch.File))
	source, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	overlay, err := c.overlay(file, ch.apply(source))
	if err != nil {
		return r, err
	}
	start := time.Now()
	r = result{change: *ch, Source: lineAt(source, ch.From)}
	r.Outcome, r.By = c.notice(ch.pack(), overlay)
	r.Seconds = time.Since(start).Seconds()
	c.credit(r.By)
	return r, json.NewEncoder(c.log).Encode(r)
}

// notice runs the tests of the packages that a change may reach.
func (c *campaign) notice(changed, overlay string) (outcome, string) {
	build := exec.Command("go", "build", "-overlay", overlay, "-o", os.DevNull, changed)
	build.Dir = c.root
	if build.Run() != nil {
		return uncompiled, ""
	}
	for _, p := range order(c.packs, changed) {
		timeout := time.Duration(4*p.Seconds+60) * time.Second
		if p.Path == changed && goldens[p.Path] != "" {
			timeout = 30 * time.Minute
		}
		said, failed := c.test(p, changed, overlay, timeout)
		if failed == nil {
			continue
		}
		if bytes.Contains(said, []byte("panic: test timed out")) {
			return slow, p.Path
		}
		return killed, p.Path
	}
	return lived, ""
}

// test runs the tests of a package for a change of another or the same: with an overlay
// until one fails, without one all.
func (c *campaign) test(p *pack, changed, overlay string, timeout time.Duration) (said []byte, failed error) {
	args := []string{"test", "-short", "-vet=off", "-count=1", "-p", fmt.Sprint(c.jobs), "-timeout", timeout.String()}
	if overlay != "" {
		args = append(args, "-failfast", "-overlay", overlay)
	} else {
		args = append(args, "-v")
	}
	if some := goldens[p.Path]; some != "" && p.Path != changed {
		args = append(args, "-run", some)
	}
	if len(p.Skip) > 0 {
		args = append(args, "-skip", "^("+strings.Join(p.Skip, "|")+")$")
	}
	cmd := exec.Command("go", append(args, p.Path)...)
	cmd.Dir = c.root
	return cmd.CombinedOutput()
}

// overlay writes a changed file and what tells the go command of it.
func (c *campaign) overlay(file string, text []byte) (path string, err error) {
	changed := filepath.Join(c.dir, "changed.go")
	if err := os.WriteFile(changed, text, 0o666); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(c.dir, "overlay.json")
	return path, os.WriteFile(path, b, 0o666)
}

// pack is the package that a change is in.
func (c *change) pack() string { return module + path.Dir(c.File) }

// lineAt is the line of a text that a byte is in.
func lineAt(text []byte, at int) string {
	from := bytes.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := bytes.Cut(text[from:], []byte("\n"))
	return strings.TrimSpace(string(line))
}
