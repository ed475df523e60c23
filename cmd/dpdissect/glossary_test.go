package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/session/conform"
)

// code is what stands in a page as code: names of fields, records, files and flags.
var code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

// names is a list of names in records.
var names = regexp.MustCompile(`^[a-z0-9_.\s]*[_.][a-z0-9_.\s]*$`)

// TestGlossary: no text that users see has a word that docs/glossary.md does not use.
func TestGlossary(t *testing.T) {
	t.Parallel()
	banned := bannedWords(t)
	n := 0
	for where, text := range userTexts(t) {
		n++
		plain := strings.Join(strings.Fields(code.ReplaceAllString(text, " ")), " ")
		for word, pattern := range banned {
			if at := pattern.FindStringIndex(plain); at != nil {
				t.Errorf("%s has %q, which the glossary does not use: …%s…", where, word, plain[max(0, at[0]-30):min(len(plain), at[1]+30)])
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d texts were read", n)
	}
}

// TestGlossaryOfComments: no comment has a word that docs/glossary.md does not use, unless it
// is a name in its file.
func TestGlossaryOfComments(t *testing.T) {
	banned, n := bannedWords(t), 0
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || mayStill[packageOf(t, path)] != 0 {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, c := range file.Comments {
			n++
			text := strings.ToLower(strings.Join(strings.Fields(c.Text()), " "))
			for word, pattern := range banned {
				if strings.Contains(text, word) && pattern.MatchString(text) && !isName(file, word) {
					t.Errorf("%s has %q, which the glossary does not use", set.Position(c.Pos()), word)
				}
			}
		}
		return nil
	})
	if err != nil || n < 10_000 {
		t.Errorf("%d comments were read, %v", n, err)
	}
}

// isName reports whether something in a file is named so, in any case.
func isName(file *ast.File, word string) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found = found || strings.EqualFold(id.Name, word)
		}
		return !found
	})
	return found
}

// TestGlossaryFinds: a word is found as a whole, in any case, and over the end of a line.
func TestGlossaryFinds(t *testing.T) {
	word := wordPattern("first sending")
	for text, want := range map[string]bool{"the First sending": true, "first sendings": false, "first": false} {
		if word.MatchString(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestGlossaryOrder: the terms stand in alphabetical order, once each.
func TestGlossaryOrder(t *testing.T) {
	last := ""
	for _, row := range glossaryRows(t) {
		if term := strings.ToLower(row[0]); term <= last {
			t.Errorf("%q comes after %q", term, last)
		} else {
			last = term
		}
	}
}

// glossaryRows are the rows of the table: term, meaning, and the words not used.
func glossaryRows(t *testing.T) (rows [][]string) {
	t.Helper()
	_, table, _ := strings.Cut(page(t, "docs/glossary.md"), "|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 3 {
			t.Fatalf("docs/glossary.md: a row of %d cells: %s", len(cells), line)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	if len(rows) < 20 {
		t.Fatalf("the glossary has %d terms only", len(rows))
	}
	return rows
}

// bannedWords are those of the last column.
func bannedWords(t *testing.T) map[string]*regexp.Regexp {
	t.Helper()
	words := make(map[string]*regexp.Regexp)
	for _, row := range glossaryRows(t) {
		if row[2] == "–" {
			continue
		}
		for _, word := range strings.Split(row[2], ", ") {
			words[word] = wordPattern(word)
		}
	}
	return words
}

// wordPattern finds a word, or several, as a whole.
func wordPattern(word string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|\W)` + regexp.QuoteMeta(word) + `(?:\W|$)`)
}

// userTexts are the texts of rules and guards, of the help of all commands, and of the pages,
// by where they stand.
func userTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	for _, h := range chapters() {
		for i := range h.rules {
			r := &h.rules[i]
			texts[r.ID] = strings.Join([]string{r.Statement, r.Care, r.Example, r.Unchecked}, "\n")
		}
	}
	for g := conform.GuardDup; g <= conform.GuardSample; g++ {
		texts["guard "+g.String()] = g.Asks()
	}
	sourceTexts(t, texts)
	helpTexts(texts, newRoot())
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(pages, filepath.Join(root(t), "README.md"), filepath.Join(root(t), "CHANGELOG.md")) {
		name := filepath.Base(path)
		if name == "glossary.md" || name == "THIRD_PARTY.md" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

// sourceTexts adds the string literals of several words in the packages that users see the
// texts of.
func sourceTexts(t *testing.T, texts map[string]string) {
	t.Helper()
	for _, dir := range []string{"cmd", "dissect", "dp4", "dp8", "hazel", "internal", "knet", "session"} {
		err := filepath.WalkDir(filepath.Join(root(t), dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testbed" || d.Name() == "dissecttest"):
				return fs.SkipDir
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				return literals(texts, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// literals adds the string literals of a file, except the tags of structs.
func literals(texts map[string]string, path string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			return f.Tag == nil
		}
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && strings.Contains(l.Value, " ") {
			text, err := strconv.Unquote(l.Value)
			if err != nil || names.MatchString(text) {
				return false
			}
			texts[set.Position(l.Pos()).String()] = text
		}
		return true
	})
	return nil
}

// helpTexts are those of a command, of its flags, and of the commands below it.
func helpTexts(texts map[string]string, c *cobra.Command) {
	where := c.CommandPath()
	texts[where] = c.Short + "\n" + c.Long
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { texts[where+" --"+f.Name] = f.Usage })
	for _, sub := range c.Commands() {
		helpTexts(texts, sub)
	}
}
