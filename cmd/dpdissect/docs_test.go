package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session/seq"
)

// root is the folder of the project.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// transcript is the block of the README that shows what the program prints.
var transcript = regexp.MustCompile("(?s)```\n\\$ go run \\./cmd/dpdissect ([^\n]*)\n(.*?)```\n")

// TestReadme checks that the transcript is what the program prints. -update writes
// it.
func TestReadme(t *testing.T) {
	text := page(t, "README.md")
	m := transcript.FindStringSubmatchIndex(text)
	if m == nil {
		t.Fatal("the README shows no transcript")
	}
	t.Chdir(root(t))
	got := output(t, strings.Fields(text[m[2]:m[3]])...)
	if want := text[m[4]:m[5]]; got == want {
		return
	} else if !*update {
		t.Errorf("the transcript of the README differs (make golden writes it) at line %s", difference(got, want))
	} else if err := os.WriteFile("README.md", []byte(text[:m[4]]+got+text[m[5]:]), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestReadmeIsShort: a person with a question reads it to its end, in any window.
func TestReadmeIsShort(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(page(t, "README.md"), "\n"), "\n")
	if len(lines) > 80 {
		t.Errorf("%d lines, want at most 80", len(lines))
	}
	for i, line := range lines {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("line %d has %d characters, want at most 100", i+1, n)
		}
	}
}

// TestReadmeCountsRules: the README says how many rules there are.
func TestReadmeCountsRules(t *testing.T) {
	var rules []struct{ ID string }
	if err := json.Unmarshal([]byte(output(t, "rules", "--format", "json")), &rules); err != nil {
		t.Fatal(err)
	}
	if row := fmt.Sprintf("| the texts' rules | - | %d, ", len(rules)); !strings.Contains(page(t, "README.md"), row) {
		t.Errorf("the README has no row %q", row)
	}
}

// TestReadmeNamesCommands checks that every command is in the README.
func TestReadmeNamesCommands(t *testing.T) {
	text := page(t, "README.md")
	for _, c := range newRoot().Commands() {
		if c.Runnable() && c.Name() != "help" && !strings.Contains(text, "`"+c.Name()) {
			t.Errorf("the README does not name the command %s", c.Name())
		}
	}
}

// TestPackagesHaveRows checks that docs/architecture.md has each package of internal: in the
// picture, or in one row of the table below it, which stand in alphabetical order.
func TestPackagesHaveRows(t *testing.T) {
	picture, table, _ := strings.Cut(page(t, "docs/architecture.md"), "| package | what it does |")
	table, _, _ = strings.Cut(table, "\n\n")
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(internal/[a-z0-9/]+)` \\| .+ \\|$").FindAllStringSubmatch(table, -1) {
		rows = append(rows, m[1])
	}
	if !slices.IsSorted(rows) {
		t.Error("rows are not in alphabetical order")
	}
	for dir := range strings.FieldsSeq(goList(t, "{{.ImportPath}}", module+"internal/...")) {
		dir = strings.TrimPrefix(dir, module)
		if strings.Contains(picture, dir) || slices.ContainsFunc(rows, func(row string) bool { return below(dir, row) }) {
			continue
		}
		t.Errorf("docs/architecture.md does not say what %s does", dir)
	}
	for _, row := range rows {
		if _, err := os.Stat(filepath.Join(root(t), row)); err != nil {
			t.Error(err)
		}
	}
}

// TestWayOfAPacket checks that the files which docs/architecture.md names on the way of a
// packet are there.
func TestWayOfAPacket(t *testing.T) {
	namesFiles(t, "docs/architecture.md", "## A packet's way", 30, "", "internal/capture/", "internal/pipeline/", "session/", "session/seq/", "dp8/track/")
}

// mostFilesToRetry is through how many files who wants to know why a datagram is called a
// retry has to read.
const mostFilesToRetry = 10

// TestWayToRetry checks what docs/architecture.md says of that way: each function stands in its
// file, one above it calls it, and the files are few.
func TestWayToRetry(t *testing.T) {
	_, text, _ := strings.Cut(page(t, "docs/architecture.md"), `to "retry"**`)
	text, _, _ = strings.Cut(text, "\n\nWhether")
	row := regexp.MustCompile("(?m)^\\| `([a-z0-9_/]+\\.go)` \\| ([^|]+) \\|")
	called := map[string]bool{"inputOne": true}
	rows := row.FindAllStringSubmatch(text, -1)
	for _, m := range rows {
		bodies := functionsOf(t, filepath.Join("..", "..", m[1]))
		for name := range strings.SplitSeq(m[2], ", ") {
			name = strings.Trim(name, "`")
			body, ok := bodies[name]
			if !ok {
				t.Errorf("%s has no function %s", m[1], name)
				continue
			}
			if !called[name] {
				t.Errorf("%s of %s is called by none of the functions above it", name, m[1])
			}
			ast.Inspect(body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					called[id.Name] = true
				}
				return true
			})
		}
	}
	if len(rows) < 5 || len(rows) > mostFilesToRetry {
		t.Errorf("%d files from a datagram to a retry", len(rows))
	}
}

// functionsOf gives the bodies of the functions and methods of a file, by their names.
func functionsOf(t *testing.T, path string) map[string]*ast.BlockStmt {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*ast.BlockStmt{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			all[fn.Name.Name] = fn.Body
		}
	}
	return all
}

// TestNewProtocolPage checks the same of what CONTRIBUTING.md says of a new protocol: some
// protocol has such a file, or the packages they share.
func TestNewProtocolPage(t *testing.T) {
	namesFiles(t, "CONTRIBUTING.md", "## Adding a protocol", 40, "", "*/", "*/track/", "*/rules/", "session/seq/", "session/conform/",
		"internal/testbed/tracegen/", "internal/testbed/lab/", "internal/testbed/whole/")
}

// goFile is the name of a file, or a pattern for several; foo stands for any protocol.
var goFile = regexp.MustCompile("`([a-z0-9_/*]+\\.go)`")

// namesFiles checks that the files which a section of a page names, so many or more, lie
// in one of some folders.
func namesFiles(t *testing.T, name, section string, least int, folders ...string) {
	t.Helper()
	_, text, _ := strings.Cut(page(t, name), section)
	text, _, _ = strings.Cut(text, "\n## ")
	n := 0
	for _, m := range goFile.FindAllStringSubmatch(text, -1) {
		n++
		found := false
		for _, dir := range folders {
			files, err := filepath.Glob(filepath.Join("..", "..", dir+strings.ReplaceAll(m[1], "foo", "*")))
			found = found || err == nil && len(files) > 0
		}
		if !found {
			t.Errorf("%s names %s, which is in none of %q", name, m[1], folders)
		}
	}
	if n < least {
		t.Errorf("only %d files are named in %s", n, name)
	}
}

// TestProtocolTables checks that each protocol has its row in every table of protocols.
func TestProtocolTables(t *testing.T) {
	for name, least := range map[string]int{"docs/coverage.md": 1, "docs/analysis.md": 3} {
		tables := strings.Split(page(t, name), "\n| protocol |")[1:]
		if len(tables) < least {
			t.Errorf("%s: only %d tables of protocols", name, len(tables))
		}
		for _, rest := range tables {
			head, _, _ := strings.Cut(rest, "\n")
			rows, _, _ := strings.Cut(rest, "\n\n")
			for _, p := range protocols.All(protocols.Options{}) {
				if !strings.Contains(rows, "`"+p.Name+"`") {
					t.Errorf("%s: no row of %s under %q", name, p.Name, strings.TrimSpace(head))
				}
			}
		}
	}
}

// TestFieldsPage checks that docs/FIELDS.md is what `make docs` writes.
func TestFieldsPage(t *testing.T) {
	if got, want := output(t, "fields", "--markdown"), page(t, "docs/FIELDS.md"); got != want {
		t.Errorf("docs/FIELDS.md differs (make docs writes it) at line %s", difference(got, want))
	}
}

// TestRulesPage checks that docs/rules.md is what `make docs` writes.
func TestRulesPage(t *testing.T) {
	if got, want := output(t, "rules", "--markdown"), page(t, "docs/rules.md"); got != want {
		t.Errorf("docs/rules.md differs (make docs writes it) at line %s", difference(got, want))
	}
}

// TestRulesHaveReasons: each rule is evaluated, the same as another one, or says
// why it is not.
func TestRulesHaveReasons(t *testing.T) {
	book, n := ruleBook(), 0
	for _, h := range chapters() {
		for i := range h.rules {
			r := &h.rules[i]
			n++
			if to, err := book.Rule(r.ID); err != nil || r.Alias != "" && (to.ID != r.Alias || to.Alias != "") {
				t.Errorf("%s is reported as %s, which is no rule", r.ID, r.Alias)
			}
			if r.Statement == "" || r.Alias != "" && r.Unchecked != "" {
				t.Errorf("%s has no statement, or both an alias and a reason", r.ID)
			}
		}
	}
	if n < 400 {
		t.Errorf("only %d rules", n)
	}
}

// generatedTable holds the rows below a table's head, which end where the text ends or a
// section begins, to what they are generated from. -update writes them.
func generatedTable(t *testing.T, name, head, want string) {
	t.Helper()
	text := page(t, name)
	before, rest, found := strings.Cut(text, head)
	rows, after, more := strings.Cut(rest, "\n## ")
	if more {
		after = "\n## " + after
	}
	switch {
	case !found:
		t.Errorf("%s has no table %q", name, head)
	case rows == want:
	case !*update:
		t.Errorf("%s differs (make golden writes it) at line %s", name, difference(rows, want))
	default:
		if err := os.WriteFile(filepath.Join(root(t), name), []byte(before+head+want+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGeneratedPages holds the first table of docs/analysis.md to the table of measures, and
// that of docs/ci.md to the numbers budgets know.
func TestGeneratedPages(t *testing.T) {
	var rows strings.Builder
	row := func(key, counts string) { fmt.Fprintf(&rows, "| `%s` | %s |\n", key, counts) }
	for i := range measure.Table {
		row(measure.Table[i].Key, measure.Table[i].Counts)
	}
	for m := range seq.NMeasures {
		row(seq.Measures[m].Key, measure.Times[m].Counts)
	}
	generatedTable(t, "docs/analysis.md", "| number | counts |\n|---|---|\n", rows.String())
	rows.Reset()
	for _, r := range verdict.QuantityRows() {
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", r[0], r[1], r[2])
	}
	generatedTable(t, "docs/ci.md", "| number | taken | is |\n|---|---|---|\n", rows.String())
}

// TestUnknownNumbers holds the list of docs/ci.md to the numbers that may be unknown.
func TestUnknownNumbers(t *testing.T) {
	_, list, _ := strings.Cut(page(t, "docs/ci.md"), "live captures do):\n  ")
	list, _, _ = strings.Cut(list, ".\n")
	if want := "`" + strings.Join(verdict.Unknowable(), "`, `") + "`"; list != want {
		t.Errorf("docs/ci.md has %s, want %s", list, want)
	}
}

// yamlBlocks are the examples in YAML of a page.
var yamlBlocks = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestRulesFileExample reads the rules file and the budgets of docs/ci.md.
func TestRulesFileExample(t *testing.T) {
	text := page(t, "docs/ci.md")
	n := 0
	for _, m := range yamlBlocks.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "fail-on: warn") {
			n++
			if _, err := verdict.ReadPolicy("docs/ci.md", []byte(m[1]), ruleBook()); err != nil {
				t.Error(err)
			}
		}
	}
	_, budgets, _ := strings.Cut(text, "defines them:\n\n```\n")
	budgets, _, _ = strings.Cut(budgets, "```")
	for line := range strings.Lines(budgets) {
		n++
		if _, err := verdict.ParseBudget(strings.TrimSpace(line)); err != nil {
			t.Error(err)
		}
	}
	if n != 7 {
		t.Errorf("%d examples were found", n)
	}
}

// word is a name in backquotes, fence a block of code.
var (
	word  = regexp.MustCompile("`([^`\n]+)`")
	fence = regexp.MustCompile("(?s)```.*?```")
)

// TestFilterNames checks that each name filters know is a field of FIELDS.md or
// in docs/filters.md, and that fields which filters do not know are told there.
func TestFilterNames(t *testing.T) {
	text := fence.ReplaceAllString(page(t, "docs/filters.md"), "")
	told := map[string]bool{}
	for _, m := range word.FindAllStringSubmatch(text, -1) {
		told[m[1]] = true
	}
	known, tables := map[string]bool{}, fieldTables()
	for _, row := range render.FieldsTable(tables) {
		known[row[0]] = true
	}
	for _, n := range filter.NewSet(protocols.Tables()).Names() {
		plain := strings.ReplaceAll(strings.TrimPrefix(n.Name, "analysis."), "-", "_")
		if !known[n.Name] && !told[plain] && !told[n.Name] && !strings.HasSuffix(n.Name, "_flags") {
			t.Errorf("docs/filters.md does not name %s", n.Name)
		}
		delete(known, n.Name)
	}
	for name := range known {
		if !told[name] {
			t.Errorf("docs/filters.md does not say that %s is no name of filters", name)
		}
	}
}

// TestFilterExamples compiles the examples of docs/filters.md.
func TestFilterExamples(t *testing.T) {
	_, text, _ := strings.Cut(page(t, "docs/filters.md"), "## Examples\n")
	text, _, _ = strings.Cut(text, "\n## ")
	set, n := filter.NewSet(protocols.Tables()), 0
	for line := range strings.Lines(text) {
		m := word.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n++
		if _, err := filter.Compile(m[1], set); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
	if n < 10 {
		t.Errorf("only %d examples were found", n)
	}
}

// TestExamplesParse checks the flags in the examples of all commands, and the
// filters among them.
func TestExamplesParse(t *testing.T) {
	n := 0
	walk(newRoot(), func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			_, rest, ok := strings.Cut(line, "dpdissect ")
			if !ok {
				continue
			}
			n++
			rest, _, _ = strings.Cut(rest, " | ")
			rest, _, _ = strings.Cut(rest, " > ")
			args := shellWords(strings.TrimRight(rest, ")\n"))
			sub, args, err := newRoot().Find(args)
			if err == nil {
				err = sub.ParseFlags(args)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", cmd.CommandPath(), line, err)
				continue
			}
			if f := sub.Flags().Lookup("display-filter"); f != nil {
				if _, err := filter.Compile(f.Value.String(), filter.NewSet(protocols.Tables())); err != nil {
					t.Errorf("%s: %s: %v", cmd.CommandPath(), line, err)
				}
			}
		}
	})
	if n < 20 {
		t.Errorf("only %d examples were looked at", n)
	}
}

// shellWords splits at spaces outside of single quotes.
func shellWords(s string) (words []string) {
	for i, part := range strings.Split(s, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// TestNoTwoProtocolsShareNames keeps filters and columns unambiguous.
func TestNoTwoProtocolsShareNames(t *testing.T) {
	if c := filter.NewSet(protocols.Tables()).Conflicts(); len(c) > 0 {
		t.Errorf("conflicts: %q", c)
	}
	seen := map[string]*dissect.Protocol{}
	for _, p := range protocols.Tables() {
		if seen[p.Name] != nil {
			t.Errorf("two protocols are named %s", p.Name)
		}
		seen[p.Name] = p
	}
}

// TestCIFromNothing runs what docs/ci.md says of a repository that has captures and
// nothing else, in its order: each command ends with the code that is written after it.
func TestCIFromNothing(t *testing.T) {
	_, text, _ := strings.Cut(page(t, "docs/ci.md"), "## From nothing to red")
	_, text, _ = strings.Cut(text, "```sh\n")
	text, rest, _ := strings.Cut(text, "```\n")
	traces, err := filepath.Abs(filepath.Join(root(t), "testdata", "pcaps", "dp8"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"fast-signed-forged.pcap", "unsigned-lossy.pcap"} {
		b, err := os.ReadFile(filepath.Join(traces, name))
		if err == nil {
			err = errors.Join(os.MkdirAll("traces", 0o777), os.WriteFile(filepath.Join("traces", name), b, 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	commands := regexp.MustCompile("(?m)^(dpdissect .*?) +# ([0-9]):.*$").FindAllStringSubmatch(text, -1)
	if len(commands) != 4 {
		t.Fatalf("%d commands", len(commands))
	}
	captures, err := filepath.Glob("traces/*.pcap")
	if err != nil || len(captures) != 2 {
		t.Fatal(captures, err)
	}
	for _, c := range commands {
		var args []string
		for i, part := range strings.Split(strings.ReplaceAll(c[1], "traces/*.pcap", strings.Join(captures, " ")), "'") {
			if i%2 == 1 { // in quotes
				args = append(args, part)
			} else {
				args = append(args, strings.Fields(part)...)
			}
		}
		if _, said, code := call(t, args[1:]...); fmt.Sprint(code) != c[2] {
			t.Errorf("%s: code %d, want %s\n%s", c[1], code, c[2], said)
		}
	}
	_, text, _ = strings.Cut(rest, "## Rules file")
	_, text, _ = strings.Cut(text, "```yaml\n")
	text, _, _ = strings.Cut(text, "```\n")
	if err := os.WriteFile("rules.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, said, code := call(t, "check", "--rules", "rules.yaml", filepath.Join(traces, "unsigned-clean.pcap")); code != exit.OK {
		t.Errorf("the rules file of the page gives code %d on a clean unsigned capture\n%s", code, said)
	}
}
