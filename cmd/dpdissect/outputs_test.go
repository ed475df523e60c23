package main

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/testbed/jsontest"
)

// A form is one way in which the program prints something of a capture: a command in a
// format, with one of its flags or none.
type form struct {
	command string
	format  string
	flags   []string // after the command; folderMark stands for a folder of the test
}

// folderMark stands in the flags of a form for a folder that is empty at first: what is
// written there is an output, too.
const folderMark = "{folder}"

func (f form) String() string {
	return strings.Join(append([]string{f.command, "--format", f.format}, f.flags...), " ")
}

// tried are the arguments that are tried of flags that take a value, by the name of the
// flag, or by command and name where that matters. A switch that is not here is tried alone.
var tried = map[string][][]string{
	"top":                 {{"--top", "3"}},
	"sort":                {{"--sort", "worst"}, {"--sort", "ping"}, {"--sort", "duration"}},
	"statistics":          {{"-z", "conv,udp"}},
	"after-gap":           {}, // of captures in pieces: see states_test.go
	"state-in":            {},
	"state-out":           {},
	"decode statistics":   {}, // it names the command that has the table
	"interval":            {{"--interval", "0.05"}, {"--interval", "1h"}},
	"analyze interval":    {}, // of live runs
	"rule":                {}, // reduce has to have one: see needed
	"frame":               {},
	"expect":              {},
	"reduce expect":       {{"--expect", folderMark + "/expect"}},
	"max-tries":           {{"--max-tries", "9"}},
	"reduce packet-count": {}, // what is left may not have the finding
	"reduce protocols":    {},
	"ports":               {}, // evidence that is gone may make the analysis differ: TestRedactMapsPorts
	"others":              {{"--others", "drop"}},
	"key-file":            {},
	"map":                 {{"--map", folderMark + "/map"}},
	"secrets-out":         {{"--secrets-out", folderMark + "/secrets"}},
	"verify":              {}, // of a capture that is there already: TestRedactVerifyFindsWhatIsPlanted
	"redact output":       {},
	"reduce decode-as":    {},
	"point":               {}, // of pairs of captures: TestLadderPairRows and others
	"around":              {{"--around", "9"}},
	"title":               {{"--title", "<b>\x1b[31m&amp;"}},
	"out":                 {{"--out", folderMark + "/payloads"}},
	"text":                {{"--text", "\x1b[31m <script> You were kicked"}, {"--text", "Reliable packet 4 (size=9) was not ack'd after 7510 ms"}},
	"fail-on":             {{"--fail-on", "note"}},
	"rules":               {}, // files that users write, and so are baselines and earlier reports
	"baseline":            {},
	"against":             {},
	"tolerance":           {},
	"write-baseline":      {{"--write-baseline", folderMark + "/baseline"}},
	"require-evaluated":   {{"--require-evaluated", "DP8-2.2.1.2-POLL-LISTENER"}},
	"budget":              {{"--budget", "retries/data_frames < 1%", "--budget", "rtt.p95_ms < 120", "--budget", "duration_ms < 1"}},
	"report":              {{"--report", "json=" + folderMark + "/json", "--report", "junit=" + folderMark + "/junit", "--report", "sarif=" + folderMark + "/sarif", "--report", "github=" + folderMark + "/github"}},
	"today":               {{"--today", "2026-01-01"}},
	"field":               {append([]string{"-E", "header=y"}, allFields()...)},
	"field-option":        {append([]string{"-E", "separator=,"}, allFields()...), {"-E", "quote=d", "-E", "occurrence=l", "-e", "frame.time", "-e", "summary", "-e", "note.message"}},
	"split":               {}, // several files: TestSplitHasEachPacketOnce
	"write":               {}, // the same as -o; live runs have tests of their own
	"display-filter":      {{"-Y", "udp.length > 20 && (retry || ack || dp8 || connection == 0)"}},
	"connection":          {{"--connection", "0"}},
	"protocols":           {{"--protocols", "dp8,hazel"}},
	"protocols protocols": {{"-v", "--protocols", "dp8,hazel"}},
	"packet-count":        {{"-c", "9"}},
	"at":                  {{"--at", "0.5"}},
	"from":                {{"--from", "0.05"}, {"--from", "0.02", "--to", "1.5"}},
	"to":                  {{"--to", "1"}},
	"time-format":         {{"-t", "ud"}, {"-t", "e"}, {"-t", "d"}},
	"color":               {{"--color", "always"}},
	"capture-filter":      {{"-f", "udp and greater 60"}},
	"decode-as":           {{"-d", "udp.port==0-65535,hazel"}},
	"secret":              {}, // the secrets of one capture
	"secrets":             {},
	"workers":             {}, // TestOutputOfWorkers
	"format":              {}, // each has forms of its own
	"tshark-format":       {}, // another word for it
	"read-file":           {}, // another word for the input
	"output":              {}, // where to, not what
	"bpf":                 {}, // another capture filter
	"max-expansion":       {}, // of compressed files
	"same-session":        {}, // of several files
	"merge":               {},
	"recursive":           {}, // of directories
	"follow":              {}, // of files that grow, and the others of live runs
	"interface":           {},
	"autostop":            {},
	"metrics":             {},
	"snapshot-length":     {},
	"buffer-size":         {},
	"no-promiscuous-mode": {},
	"user":                {},
	"no-pager":            {}, // of terminals
	"help":                {},
}

// needed are the flags without which commands read no capture, or print nothing of it.
var needed = map[string][]string{"protocols": {"-v"}, "annotate": {"-w", "-"}, "reduce": {"--rule", "CAP-UPLOSS", "-w", folderMark + "/small.pcapng"}, "redact": {"-w", folderMark + "/public.pcapng"}}

// allFields gives -e with every field there is.
func allFields() (args []string) {
	for _, t := range fieldTables() {
		for i := range t.Fields {
			args = append(args, "-e", t.Fields[i].Name)
		}
	}
	return append(args, "-e", "frame.time", "-e", "summary", "-e", "analysis", "-e", "note.message", "-e", "note.rule", "-e", "error", "-e", "udp.payload")
}

// readers are the commands that read captures from files and print, or write one file: tables, which
// fills a folder, has tests of its own.
func readers() (all []*cobra.Command) {
	for _, c := range newRoot().Commands() {
		if strings.Contains(c.Use, "INPUT") && c.Name() != "tables" {
			all = append(all, c)
		}
	}
	return all
}

// formatsOf are the formats of a command.
func formatsOf(c *cobra.Command) []string {
	return c.Flags().Lookup("format").Value.(*flags.Choice).Allowed
}

// flagsTried gives the arguments that are tried of a flag of a command, and whether any are
// known.
func flagsTried(c *cobra.Command, f *pflag.Flag) (args [][]string, known bool) {
	if c.Name() == "reduce" && slices.Contains(notOfReduce, f.Name) || c.Name() == "redact" && slices.Contains(notOfRedact, f.Name) {
		return nil, true
	}
	if args, known = tried[c.Name()+" "+f.Name]; !known {
		args, known = tried[f.Name]
	}
	if !known && f.Value.Type() == "bool" {
		args, known = [][]string{{"--" + f.Name}}, true
	}
	return args, known
}

// forms are all of them: every command that reads captures, in every format, alone and with
// every flag. They come from the tree of commands, so that none can be forgotten.
var forms = sync.OnceValue(func() (all []form) {
	for _, c := range readers() {
		alone := needed[c.Name()]
		var extra [][]string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			args, _ := flagsTried(c, f)
			extra = append(extra, args...)
		})
		for _, format := range formatsOf(c) {
			all = append(all, form{c.Name(), format, alone})
			for _, x := range extra {
				if f := (form{c.Name(), format, append(alone[:len(alone):len(alone)], x...)}); f.sensible() {
					all = append(all, f)
				}
			}
		}
	}
	return all
})

// sensible reports flags that have a meaning together, and none without: of -e only text.
func (f form) sensible() bool {
	given := func(names ...string) bool {
		return slices.ContainsFunc(f.flags, func(s string) bool { return slices.Contains(names, s) })
	}
	switch {
	case f.command == "protocols":
		return f.format == "text"
	case f.format == "text":
		return true
	case given("--verbose"):
		return f.command == "check" || f.command == "analyze"
	}
	return !given("--hex", "-e", "-z", "--ascii", "--plot", "--color", "-t", "--numeric", "--top", "--sort")
}

// A printed is what a form printed of a capture.
type printout struct {
	form
	out, errs string
	files     map[string]string // that it wrote
	code      int
}

// print runs a form on captures. Where there are several connections and a command wants
// one, it is the first.
func (f form) print(t testing.TB, args ...string) *printout {
	t.Helper()
	p := &printout{form: f, files: map[string]string{}}
	line := append([]string{f.command, "--format", f.format}, f.flags...)
	if slices.ContainsFunc(line, func(s string) bool { return strings.Contains(s, folderMark) }) {
		dir, err := os.MkdirTemp("", "dpdissect-form")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		for i := range line {
			line[i] = strings.ReplaceAll(line[i], folderMark, dir)
		}
		defer func() { p.read(t, dir) }()
	}
	line = append(line, args...)
	p.out, p.errs, p.code = call(t, line...)
	if p.code == exit.Usage && strings.Contains(p.errs, "choose one with --connection") {
		p.out, p.errs, p.code = call(t, append(line, "--connection", "0")...)
	}
	return p
}

// read takes in what was written to the folder.
func (p *printout) read(t testing.TB, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		p.files[strings.TrimPrefix(path, dir)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p.out, p.errs = strings.ReplaceAll(p.out, dir, folderMark), strings.ReplaceAll(p.errs, dir, folderMark)
}

// all is everything that was printed and written.
func (p *printout) all() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n%s\n%s\n", p.code, p.errs, p.out)
	for _, name := range sortedKeys(p.files) {
		fmt.Fprintf(&b, "%q\n%s\n", name, p.files[name])
	}
	return b.String()
}

func sortedKeys(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// fault says what of a printout must not be: an exit code that the contract does not have for
// it, a fault of the program, text that a terminal would obey, or a document that its readers
// refuse.
func (p *printout) fault() error {
	codes := []int{exit.OK, exit.Input}
	if p.command == "check" {
		codes = []int{exit.OK, exit.Fail, exit.Input, exit.NotEvaluated, exit.Poor}
	}
	if p.code == exit.Usage && p.mayRefuse() && !strings.Contains(p.errs, "goroutine") {
		return nil
	}
	switch {
	case !slices.Contains(codes, p.code):
		return fmt.Errorf("exit code %d, %s", p.code, p.errs)
	case strings.Contains(p.errs, "internal error") || strings.Contains(p.errs, "goroutine"):
		return fmt.Errorf("a fault of the program: %s", p.errs)
	case (p.code == exit.Input) != (p.code != exit.OK && p.code != exit.Fail && p.code != exit.NotEvaluated && p.code != exit.Poor):
		return fmt.Errorf("exit code %d, %s", p.code, p.errs)
	}
	return p.unsound(p.format, p.out)
}

// mayRefuse reports flags that do not fit every capture: there may be no such connection or
// frame, or a link type that capture filters do not know.
func (p *printout) mayRefuse() bool {
	chooses := slices.Contains(p.flags, "--connection") || slices.Contains(p.flags, "--around") || p.command == "ladder" && len(p.flags) > 0
	chooses = chooses || p.command == "reduce" && strings.Contains(p.errs, "no finding of")
	return chooses || slices.Contains(p.flags, "-f") && strings.Contains(p.errs, "not applicable to packets of")
}

// unsound says what a document is not that its format says it is.
func (p *printout) unsound(format, text string) error {
	if p.code == exit.Input && text == "" {
		return nil // nothing could be read
	}
	switch format {
	case "json", "ndjson", "events":
		if p.command == "protocols" {
			_, err := jsontest.Values([]byte(text))
			return err
		}
		return againstSchemas(text)
	case "sarif":
		return jsontest.UniqueKeys([]byte(text))
	case "junit", "svg":
		return wellFormed(text)
	case "csv":
		_, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		return err
	case "html":
		if !strings.HasSuffix(strings.TrimSpace(text), "</html>") {
			return fmt.Errorf("the page has no end")
		}
		return wellFormedData(text)
	case "pcapng":
		return readsBack(text)
	}
	return nil
}

// allSchemas are the schemas of all records, by the names that these give.
var allSchemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	all := map[string]*jsonschema.Schema{}
	for _, name := range report.SchemaNames() {
		text, _ := report.Schema(name)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource(name, doc); err != nil {
			return nil, err
		}
		if all["dpdissect/"+name+"/1"], err = c.Compile(name); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// againstSchemas says what of records is not as their schemas say, has a key twice, or is no
// JSON.
func againstSchemas(text string) error {
	schemas, err := allSchemas()
	if err != nil {
		return err
	}
	values, err := jsontest.Values([]byte(text))
	if err != nil {
		return err
	}
	for _, v := range values {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, r := range list {
			o, _ := r.(map[string]any)
			name, _ := o["schema"].(string)
			s := schemas[name]
			if s == nil {
				return fmt.Errorf("a record of schema %q", name)
			}
			if err := s.Validate(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// wellFormed says what of a text is no XML.
func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// wellFormedData reads the JSON that a page holds for its code.
func wellFormedData(page string) error {
	const begin = `<script type="application/json"`
	n := 0
	for rest := page; ; n++ {
		at := strings.Index(rest, begin)
		if at < 0 {
			break
		}
		rest = rest[at:]
		from, to := strings.IndexByte(rest, '>')+1, strings.Index(rest, "</script>")
		if to < from {
			return fmt.Errorf("data without an end")
		}
		if err := jsontest.UniqueKeys([]byte(rest[from:to])); err != nil {
			return err
		}
		rest = rest[to:]
	}
	if n == 0 {
		return fmt.Errorf("no data in the page")
	}
	return nil
}

// readsBack reads a capture to its end.
func readsBack(text string) error {
	r, err := capture.NewReader(strings.NewReader(text))
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		var rec capture.Record
		if err := r.Next(&rec); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestFormsAreAll checks that every flag of a command that reads captures is tried, or is said
// not to be, and that flags which are tried work in one format at least.
func TestFormsAreAll(t *testing.T) {
	n := map[string]int{}
	for _, f := range forms() {
		n[f.command]++
	}
	t.Logf("%d forms: %v", len(forms()), n)
	for _, c := range readers() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if _, known := flagsTried(c, f); !known {
				t.Errorf("no value of %s --%s is tried", c.Name(), f.Name)
			}
		})
		if n[c.Name()] < len(formatsOf(c)) {
			t.Errorf("%s has %d forms", c.Name(), n[c.Name()])
		}
	}
	if len(n) < 10 {
		t.Errorf("only %d commands read captures", len(n))
	}
}

// TestFormsWork runs each of them on a sound capture.
func TestFormsWork(t *testing.T) {
	t.Parallel()
	path := capturePath(t, "unsigned-lossy.pcap")
	for _, f := range forms() {
		p := f.print(t, path)
		if err := p.fault(); err != nil || p.code == exit.Usage {
			t.Errorf("%s: exit code %d, %v, %s", f, p.code, err, p.errs)
		}
		if len(p.out) == 0 && len(f.flags) == len(needed[f.command]) {
			t.Errorf("%s printed nothing", f)
		}
	}
}
