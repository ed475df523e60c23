package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/protocols"
)

const module = "github.com/dpdissect/dpdissect/"

// An arrow is a rule: what packages below from may import of this module and of
// the rest of the world, and why.
type arrow struct {
	from    string   // the package, with what lies below it unless a rule is more special
	inside  []string // packages of this module; all below them
	outside []string // packages of other modules; all below them. "*" is any
	reason  string
}

// arrows is the plan of the project: arrows point down only. Of several rules the
// longest prefix holds.
func arrows() []arrow {
	rules := []arrow{
		{"dissect", []string{"dissect"}, nil, "dissect is what all protocols share: it uses the standard library alone and knows no protocol"},
		{"session", []string{"dissect", "session/seq", "session/conform"}, nil, "session follows connections of all protocols and names none"},
		{"session/seq", []string{"dissect"}, nil, "numbers are judged alike for all protocols, whatever the rules say of them"},
		{"session/conform", []string{"dissect"}, nil, "what a rule is depends on no protocol, and on nothing that follows one"},
		{"internal/capfilter", []string{"dissect/syntax"}, []string{"golang.org/x/net/bpf"}, "capture filters are a language of their own, with the steps and errors of all expressions: they know programs and packets, and nothing of this one"},
		{"internal/trigger", []string{"dissect/spell", "dissect/syntax"}, nil, "triggers are a language: what they are asked about comes as plain numbers"},
		{"internal/flight", []string{"dissect", "session", "internal/capture", "internal/record", "internal/trigger", "internal/sampler", "internal/explain"}, nil,
			"the flight recorder judges what the tracker knows, says why connections ended, and names no protocol package"},
		{"internal/capture", []string{"dissect", "internal/capfilter"}, []string{"github.com/google/gopacket", "github.com/klauspost/compress", "github.com/pierrec/lz4", "golang.org/x/sys", "golang.org/x/net"},
			"capture turns packets into datagrams and knows nothing of what is in them"},
		{"docs", nil, nil, "pages are text"},
		{"internal/deploy", nil, nil, "what servers are set up with is text"},
		{"internal/exit", nil, nil, "how a program ends is said without a word of what it does"},
		{"internal/flags", []string{"dissect/spell"}, []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}, "values of flags are read and listed without a word of which command has them"},
		{"internal/inputs", []string{"session", "dp8", "dp8/track", "internal/capture", "internal/exit", "internal/protocols"}, []string{"github.com/spf13/pflag"}, "what is looked for is said by flags of both programs: they open nothing but the file of secrets"},
		{"internal/source", []string{"dissect", "internal/capfilter", "internal/capture", "internal/exit", "internal/flags"}, []string{"github.com/spf13/cobra", "golang.org/x/sys"},
			"what both programs read is opened in one place, without a word of what is done with it"},
		{"internal/manual", nil, nil, "pages are shown without a word of what is on them"},
		{"internal/outfile", nil, nil, "files are written without a word of what is in them"},
		{"internal/record", []string{"internal/capture", "internal/outfile"}, []string{"github.com/klauspost/compress", "github.com/pierrec/lz4"},
			"recording writes packets as they are and knows nothing of what is in them"},
		{"internal/state", nil, []string{"github.com/klauspost/compress"}, "states are written by the types of what is in them, and know none of these"},
		{"internal/pipeline", []string{"dissect", "session", "internal/capture", "internal/state"}, nil, "the pipeline runs any protocol and names none"},
		{"internal/points", []string{"dissect", "internal/capture"}, nil, "capture points are compared by what their packets carry, whatever protocol that is"},
		{"internal/compare", []string{"dissect", "session", "internal/capture", "internal/pipeline", "internal/explain"}, nil,
			"two captures are compared by what their packets carry and what their analyses say, whatever protocol that is"},
		{"internal/measure", []string{"session"}, nil, "what is counted of a side is the same for all protocols and all who show it"},
		{"internal/timeline", []string{"dissect", "session", "internal/measure"}, nil, "intervals are made of what the tracker counts, for all protocols alike"},
		{"internal/ladder", []string{"dissect", "session", "internal/pipeline", "internal/explain", "internal/compare", "internal/report", "internal/terminal"}, nil,
			"ladders are drawn of what the tracker says of frames, for all protocols alike: they read no captures and name no protocol package"},
		{"internal/events", []string{"dissect", "session", "internal/pipeline", "internal/timeline", "internal/report"}, nil,
			"events are made of what the tracker says of frames, for all protocols alike: they read no captures and name no protocol package"},
		{"internal/annotate", []string{"dissect", "session", "internal/capture", "internal/pipeline", "internal/record"}, nil,
			"comments are made of what the tracker says of frames, for all protocols alike: nothing is computed for them, and no protocol package is named"},
		{"internal/htmlreport", []string{"dissect", "session", "internal/measure", "internal/pipeline", "internal/timeline"}, nil,
			"the page shows documents as they are, and draws what intervals hold: it reads no captures and names no protocol package"},
		{"internal/yamlfile", []string{"dissect/spell", "dissect/syntax"}, []string{"go.yaml.in/yaml"}, "files are taken apart without a word of what they are for; mistakes are marked as those of expressions"},
		{"internal/config", []string{"internal/yamlfile"}, []string{"go.yaml.in/yaml"}, "a configuration says what others understand: they check it"},
		{"internal/verdict", []string{"dissect", "session", "internal/measure", "internal/yamlfile"}, []string{"go.yaml.in/yaml"}, "verdict weighs what a run found out: it reads no captures and names no protocol package"},
		{"internal/reduce", []string{"dissect", "session", "internal/capture", "internal/pipeline", "internal/verdict"}, nil, "a capture is reduced by asking the check, whatever protocol that is about"},
		{"internal/redact", []string{"dissect", "session", "dp8", "dp8/track", "hazel", "internal/capture", "internal/pipeline", "internal/record"}, nil, "values are replaced by the classes of fields; of protocols it knows how DirectPlay 8 signs, and where a version stands in Hazel"},
		{"internal/explain", []string{"dissect", "session"}, nil, "explanations are made of what the tracker knows, for all protocols alike"},
		{"internal/plot", nil, nil, "plot draws numbers, whatever they stand for"},
		{"internal/report", []string{"dissect", "session", "internal/capture", "internal/compare", "internal/explain", "internal/measure", "internal/plot", "internal/terminal", "internal/timeline", "internal/verdict"}, nil,
			"report prints what was found and names no protocol package"},
		{"internal/terminal", []string{"dissect", "session"}, []string{"github.com/olekukonko/tablewriter", "github.com/fatih/color"},
			"what people read is laid out without a word of the documents that it is part of"},
		{"internal/sampler", []string{"dissect", "session", "internal/explain", "internal/measure", "internal/terminal"}, nil,
			"samples are plain values: who takes them needs no terminal, reads no captures and names no protocol package"},
		{"internal/liveview", []string{"dissect", "session", "internal/measure", "internal/plot", "internal/sampler", "internal/terminal"}, []string{"charm.land/bubbletea", "charm.land/lipgloss"},
			"liveview shows what report prints, while it happens: it reads no captures and names no protocol package"},
		{"internal/tables", []string{"dissect", "session", "internal/explain", "internal/measure", "internal/outfile", "internal/pipeline", "internal/report", "internal/timeline"}, nil,
			"rows are made of what documents say, for all protocols alike: they read no captures and name no protocol package"},
		{"internal/metrics", []string{"dissect", "session", "internal/capture", "internal/explain", "internal/measure", "internal/pipeline"}, nil,
			"metrics are sums of what the tracker knows, for all protocols alike: they name no protocol package, and HTTP is written without net/http"},
		{"internal/tablecmd", []string{"session", "internal/capture", "internal/flags", "internal/metrics", "internal/outfile", "internal/pipeline", "internal/tables"}, []string{"github.com/spf13/pflag"},
			"what the two programs share of a command says which rows are made, and neither how captures are opened nor how Parquet is written"},
		{"internal/piecewise", []string{"dp8", "session", "internal/capture", "internal/inputs", "internal/outfile", "internal/pipeline", "internal/protocols", "internal/state", "internal/tables"}, []string{"github.com/spf13/pflag"},
			"what commands of the two programs share that take a capture piece by piece: files and heads of states, and no flag of the commands"},
		{"internal/fleet", []string{"internal/bucket", "internal/state", "internal/tables"}, []string{"github.com/nats-io/nats.go", "golang.org/x/sys"},
			"the queue hands out names of files, and what a step does is a command of its own: it reads no captures and follows no protocol"},
		{"internal/fleet/server", nil, []string{"github.com/nats-io/nats-server", "github.com/nats-io/nats.go"}, "a server is one of NATS: what lies in its queue is for its clients"},
		{"internal/bucket", []string{"internal/tables"}, []string{"github.com/minio/minio-go"},
			"objects are put without a word of what is in them"},
		{"internal/parquetfile", []string{"internal/report", "internal/tables"}, []string{"github.com/parquet-go/parquet-go"},
			"Parquet is written of rows as they are"},
		{"internal/testbed/jsontest", nil, nil, "jsontest is for tests and uses the standard library alone"},
		{"internal/testbed/mutate", nil, []string{"golang.org/x/sys"}, "changes of the program are tried by the go command and the standard library"},
		{"internal/testbed/pcaps", nil, nil, "captures are found for tests by the standard library alone"},
		{"internal/testbed/programtest", nil, nil, "programs are made for tests by the go command and the standard library"},
		{"internal/testbed/ngtest", nil, nil, "what the program writes is read for tests by nothing of the program"},
		{"internal/testbed/sessiontest", []string{"dissect", "session"}, nil, "scenes serve the tests of all trackers and name none"},
		{"internal/testbed/chromium", nil, nil, "a browser is driven for tests by the standard library alone"},
		{"internal/testbed/excerpt", []string{"dissect", "internal/capture"}, nil, "captures are edited for tests by what reads them for the program"},
		{"internal/testbed/captured", []string{"dissect", "internal/capture"}, nil, "captures are read for tests by what reads them for the program"},
		{"web", []string{"internal/htmlreport"}, nil, "the page is put together by the go command and the standard library, runs the program as it is, and knows of reports only which code is theirs"},
		{"internal/licenses", nil, nil, "the page of licences is made by the go command and the standard library"},
		{"internal/testbed/bench", []string{"internal/capture", "internal/testbed/tracegen"}, nil, "benchmarks of the program make traces, write both ends of them, and run it from outside"},
		{"internal/release", []string{"internal/manual"}, []string{"github.com/spf13/cobra"}, "releases are made by the go command; of the program they know how manual pages look"},
		{"internal/testbed/tracegen/wire", []string{"internal/testbed/tracegen"}, []string{"golang.org/x/net", "golang.org/x/sys"},
			"what is played over sockets is played by traces, and knows no protocol"},
		{"internal/testbed/pairs", []string{"internal/capture", "internal/testbed/tracegen"}, nil, "pairs of captures are made of what traces put on the wires"},
		{"internal/testbed/livetest", []string{"internal/capture", "internal/testbed/tracegen"}, []string{"*"}, "live tests look at the program from outside"},
		{"internal/testbed/whole", nil, nil, "the whole product is tried by tests, and no other test needs what they are made of"},
		{"cmd", []string{""}, []string{"*"}, ""},
	}
	lists := arrow{"internal/protocols", []string{"dissect", "session"}, nil, "protocols is the list of protocols"}
	traces := arrow{"internal/testbed/tracegen", []string{"dissect", "internal/capture"}, nil, "traces are made with the codecs, never with the tracker they test"}
	plugin := arrow{"internal/wireshark", []string{"dissect", "internal/outfile"}, nil, "the plugin is made of tables and codecs, never of a tracker: it decodes and judges nothing"}
	lab := arrow{"internal/testbed/lab", []string{"dissect", "session", "internal"}, nil, "the laboratory tries the rules of all protocols on their traces"}
	for _, p := range protocols.All(protocols.Options{}) {
		rules = append(rules, arrow{p.Name, []string{"dissect"}, nil, "a codec is usable alone: it knows the table of fields and nothing else"},
			arrow{p.Name + "/track", []string{"dissect", "session", p.Name}, nil, "what follows a protocol knows its codec and the engine, and no other protocol"},
			arrow{p.Name + "/rules", []string{"dissect", "session", p.Name}, nil, "what judges a protocol looks at what follows it, and at no other protocol"})
		lists.inside = append(lists.inside, p.Name)
		plugin.inside = append(plugin.inside, p.Name)
		traces.inside = append(traces.inside, p.Name)
		lab.inside = append(lab.inside, p.Name)
	}
	return append(rules, lists, traces, lab, plugin)
}

// soleUsers are the packages that others ask for tables, colours and what the terminal is:
// each of these modules is imported by one file of one package.
func soleUsers() []arrow {
	return []arrow{
		{"internal/terminal", nil, []string{"github.com/olekukonko/tablewriter"}, "tables of text are made in one place: see terminal.Table, terminal.AppendReference and terminal.AppendTable"},
		{"internal/terminal", nil, []string{"github.com/fatih/color"}, "what has which colour is said in one place: see terminal.Colours"},
		{"cmd/dpdissect", nil, []string{"golang.org/x/term"}, "what the terminal is, is asked in one place: see screen.go"},
	}
}

// elsewhere says why a package may not import what belongs to another one, "" if it may.
func elsewhere(from, to string) string {
	if strings.HasSuffix(to, "/rules") && !strings.HasSuffix(from, "/rules") && !below(from, "internal") && !below(from, "cmd") {
		return "connections are followed without rules: what follows them must not know any"
	}
	for _, u := range soleUsers() {
		if from != u.from && below(to, u.outside[0]) {
			return u.reason
		}
	}
	return ""
}

// TestArrows holds every import to the plan.
func TestArrows(t *testing.T) {
	t.Parallel()
	rules := arrows()
	packages := 0
	for line := range strings.Lines(goList(t, `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"...")) {
		words := strings.Fields(line)
		packages++
		for _, problem := range upward(rules, strings.TrimPrefix(words[0], module), words[1:]) {
			t.Error(problem)
		}
	}
	if packages < 12 {
		t.Errorf("only %d packages were looked at", packages)
	}
	for dep := range strings.FieldsSeq(goList(t, `{{join .Deps "\n"}}`, module+"cmd/dpdissect")) {
		if strings.HasPrefix(dep, module+"internal/testbed") {
			t.Errorf("the program depends on %s: what makes and tries captures stays out of it", dep)
		}
	}
	linked := strings.Fields(goList(t, `{{join .Deps "\n"}}`, module+"cmd/dpdissect"))
	for _, dep := range linked {
		for _, heavy := range []string{"parquet", "nats", "minio"} {
			if strings.Contains(dep, heavy) {
				t.Errorf("the program depends on %s: that belongs to dpdissect-fleet", dep)
			}
		}
	}
	fleet := goList(t, `{{join .Deps "\n"}}`, module+"cmd/dpdissect-fleet")
	for _, heavy := range []string{"parquet-go", "nats-server", "nats.go", "minio-go"} {
		if !strings.Contains(fleet, heavy) {
			t.Errorf("dpdissect-fleet does not use %s: what is looked for has another name", heavy)
		}
	}
	for _, p := range protocols.All(protocols.Options{}) {
		for dep := range strings.FieldsSeq(goList(t, `{{join .Deps "\n"}}`, module+p.Name)) {
			if strings.Contains(dep, "gopacket") {
				t.Errorf("%s depends on %s: protocols are libraries without a capture", p.Name, dep)
			}
		}
	}
}

// TestArrowsFail shows that the check can fail.
func TestArrowsFail(t *testing.T) {
	for _, c := range [][]string{
		{"dissect", module + "session"},
		{"dissect/filter", module + "dp8"},
		{"dissect/render", "github.com/spf13/cobra"},
		{"session", module + "dp8"},
		{"session", module + "internal/capture"},
		{"session/seq", module + "session"},
		{"session/seq", module + "session/conform"},
		{"session/conform", module + "session/seq"},
		{"dp8", module + "internal/capture"},
		{"dp8", "github.com/google/gopacket"},
		{"dp8", module + "session"},
		{"dp8", module + "dp8/track"},
		{"dp8/track", module + "dp4"},
		{"dp8/track", module + "dp8/rules"},
		{"session", module + "dp8/rules"},
		{"dp8/rules", module + "dp4/track"},
		{"hazel/track", module + "hazel/rules"},
		{"session", module + "hazel/rules"},
		{"hazel/rules", module + "knet/track"},
		{"knet/track", module + "knet/rules"},
		{"session", module + "knet/rules"},
		{"knet/rules", module + "hazel/track"},
		{"internal/pipeline", module + "dp8"},
		{"internal/pipeline", module + "internal/protocols"},
		{"internal/verdict", module + "internal/report"},
		{"internal/verdict", module + "internal/capture"},
		{"internal/report", "github.com/google/gopacket"},
		{"internal/report", module + "cmd/dpdissect"},
		{"internal/capture", module + "session"},
		{"internal/flight", module + "internal/liveview"},
		{"internal/liveview", module + "internal/capture"},
		{"internal/liveview", module + "internal/pipeline"},
		{"internal/liveview", "github.com/fatih/color"},
		{"internal/liveview", "golang.org/x/term"},
		{"internal/report", "golang.org/x/term"},
		{"internal/report", "charm.land/lipgloss/v2"},
		{"internal/testbed/livetest", "golang.org/x/term"},
		{"cmd/dpdissect", "github.com/fatih/color"},
		{"cmd/dpdissect", "github.com/olekukonko/tablewriter"},
		{"cmd/dpdissect", "github.com/olekukonko/tablewriter/tw"},
		{"internal/testbed/tracegen", module + "session"},
		{"internal/testbed/sessiontest", module + "dp8/track"},
		{"internal/protocols", module + "internal/capture"},
		{"web", module + "internal/pipeline"},
		{"web/build", "github.com/spf13/cobra"},
		{"internal/wireshark", module + "session"},
		{"internal/wireshark", module + "internal/protocols"},
		{"internal/fleet", module + "internal/pipeline"},
		{"internal/fleet/server", module + "internal/tables"},
		{"internal/tablecmd", "github.com/nats-io/nats.go"},
		{"nowhere", "fmt"},
	} {
		if len(upward(arrows(), c[0], c[1:])) == 0 {
			t.Errorf("%s may import %s", c[0], c[1])
		}
	}
	if bad := upward(arrows(), "dp8/track", []string{"fmt", "encoding/binary", module + "session", module + "dissect", module + "dp8"}); len(bad) > 0 {
		t.Errorf("what is allowed is refused: %q", bad)
	}
}

// TestSoleUsers: in the package that may, one file imports such a module.
func TestSoleUsers(t *testing.T) {
	for _, u := range soleUsers() {
		files := strings.Split(strings.TrimSpace(goList(t, `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`, module+u.from)), "\n")
		users := slices.DeleteFunc(files, func(file string) bool { return !imports(t, file, u.outside[0]) })
		if len(users) != 1 {
			t.Errorf("%d files of %s import %s: %s", len(users), u.from, u.outside[0], u.reason)
		}
	}
}

// imports reports whether a file imports a package of a module.
func imports(t *testing.T, file, of string) bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return below(strings.Trim(s.Path.Value, `"`), of) })
}

// upward lists the imports of a package that the plan forbids.
func upward(rules []arrow, from string, imports []string) (problems []string) {
	var rule *arrow
	for i := range rules {
		if below(from, rules[i].from) && (rule == nil || len(rules[i].from) > len(rule.from)) {
			rule = &rules[i]
		}
	}
	if rule == nil {
		return []string{from + " has no place in the plan: see arrows"}
	}
	for _, to := range imports {
		if !rule.allows(from, to) {
			problems = append(problems, from+" imports "+to+": "+rule.reason)
		} else if reason := elsewhere(from, to); reason != "" {
			problems = append(problems, from+" imports "+to+": "+reason)
		}
	}
	return problems
}

func (r *arrow) allows(from, to string) bool {
	list := r.outside
	if own, ok := strings.CutPrefix(to, module); ok {
		if below(own, r.from) && r.from != "dissect" && own != r.from+"/track" || below(own, from) && own != from+"/track" {
			return true
		}
		list, to = r.inside, own
	} else if first, _, _ := strings.Cut(to, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	for _, l := range list {
		if l == "*" || l == "" || below(to, l) {
			return true
		}
	}
	return false
}

// below reports whether a path is prefix or lies below it.
func below(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

func goList(t *testing.T, format string, patterns ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-f", format}, patterns...)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, errs.String())
	}
	return string(out)
}
