package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// mayStill is how often packages that are being rewritten may still use words that the code
// does not: their numbers only fall, and a package that needs none leaves the list.
var mayStill = map[string]int{
	"dp8/rules":   54,
	"dp8/track":   113,
	"session":     52,
	"session/seq": 73,
}

// TestGlossaryOfCode: no identifier that this program declares has one of the words which
// docs/glossary.md keeps out of the code, and no comment has one.
func TestGlossaryOfCode(t *testing.T) {
	banned, found, n := codeWords(t), map[string]int{}, 0
	eachFile(t, func(pkg string, set *token.FileSet, file *ast.File) {
		report := func(pos token.Pos, word string) {
			if found[pkg]++; mayStill[pkg] == 0 {
				t.Errorf("%s: %q, which the code does not use: see docs/glossary.md", set.Position(pos), word)
			}
		}
		for _, id := range declared(file) {
			n++
			for i, word := range words(id.Name) {
				if banned[word] && !(word == "hole" && i > 0 && words(id.Name)[i-1] == "black") {
					report(id.Pos(), id.Name)
				}
			}
		}
		for _, c := range file.Comments {
			for _, word := range strings.FieldsFunc(strings.ToLower(c.Text()), func(r rune) bool { return !unicode.IsLetter(r) }) {
				if banned[word] {
					report(c.Pos(), word)
				}
			}
		}
	})
	if n < 20_000 {
		t.Errorf("%d identifiers were read", n)
	}
	for pkg, most := range mayStill {
		if found[pkg] > most {
			t.Errorf("%s has %d such words, %d before", pkg, found[pkg], most)
		} else if found[pkg] < most {
			t.Logf("%s has %d such words: write this down in place of %d", pkg, found[pkg], most)
		}
	}
}

// howMany finds comments that begin with a phrase which says no more than a name and its type do.
var howMany = regexp.MustCompile(`^(?:The )?\w+ (?:is|are) how (?:many|long|much|often|far) `)

// mostHowMany only falls: what such a comment leaves open is why it is so many, or so long.
const mostHowMany = 298

// TestCommentsSayWhy: no more comments begin "X is how many" than did, and none is empty.
func TestCommentsSayWhy(t *testing.T) {
	n := 0
	eachFile(t, func(pkg string, set *token.FileSet, file *ast.File) {
		for _, c := range file.Comments {
			if howMany.MatchString(c.Text()) {
				n++
			}
			if len(c.List) == 1 && strings.TrimSpace(c.List[0].Text) == "//" {
				t.Errorf("%s: a comment without text", set.Position(c.Pos()))
			}
		}
	})
	if n > mostHowMany {
		t.Errorf("%d comments begin so, %d before", n, mostHowMany)
	}
}

// codeWords are those of the second table of the glossary.
func codeWords(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	_, table, _ := strings.Cut(page(t, "docs/glossary.md"), "\n|---|---|\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		for word := range strings.SplitSeq(strings.TrimPrefix(cells[0], "| "), ", ") {
			all[word] = true
		}
	}
	if len(all) < 40 {
		t.Fatalf("%d words", len(all))
	}
	return all
}

// eachFile parses all Go files of the module, with the package in which each stands.
func eachFile(t *testing.T, see func(pkg string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			see(packageOf(t, path), set, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// packageOf is the folder of a file, as seen from the root of the module.
func packageOf(t *testing.T, path string) string {
	t.Helper()
	dir, err := filepath.Rel(root(t), filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(dir)
}

// declared are the identifiers that a file declares, which are its own to name.
func declared(file *ast.File) (all []*ast.Ident) {
	targets := func(list ...ast.Expr) {
		for _, e := range list {
			if id, ok := e.(*ast.Ident); ok {
				all = append(all, id)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			all = append(all, n.Name)
		case *ast.TypeSpec:
			all = append(all, n.Name)
		case *ast.ValueSpec:
			all = append(all, n.Names...)
		case *ast.Field:
			all = append(all, n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				targets(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				targets(n.Key, n.Value)
			}
		}
		return true
	})
	return all
}

// words splits an identifier where its case changes.
func words(name string) (all []string) {
	runes, from := []rune(name), 0
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || runes[i] == '_' || unicode.IsUpper(runes[i]) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			all, from = append(all, strings.ToLower(strings.Trim(string(runes[from:i]), "_"))), i
		}
	}
	return all
}

// TestWordsOfNames: a name is split at its capitals; several in a row are one word.
func TestWordsOfNames(t *testing.T) {
	for name, want := range map[string][]string{"lateBehind": {"late", "behind"}, "BehindEOM": {"behind", "eom"}, "TestRTT_ofAll": {"test", "rtt", "of", "all"},
		"URLPath": {"url", "path"}, "behindloss": {"behindloss"}, "x": {"x"}} {
		if got := words(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
