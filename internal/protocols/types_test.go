package protocols

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/dpdissect/dpdissect/session"
)

// TestSettlersAreListed: every type that settles a verdict or a doubt is among those that a state may hold.
func TestSettlersAreListed(t *testing.T) {
	listed := map[string]bool{}
	list := func(types []any) {
		for _, v := range types {
			of := reflect.TypeOf(v)
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			listed[filepath.Base(filepath.Dir(of.PkgPath()))+"/"+filepath.Base(of.PkgPath())+"."+of.Name()] = true
		}
	}
	list(session.Types())
	for _, p := range All(Options{}) {
		list(p.Types)
	}
	found, folders := 0, []string{"session"}
	for _, p := range All(Options{}) {
		folders = append(folders, p.Name+"/track", p.Name+"/rules")
	}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if matched, _ := filepath.Match("*_test.go", filepath.Base(f)); matched {
				continue
			}
			for _, name := range settlers(t, f) {
				if found++; folder == "session" {
					name = "dpdissect/session." + name
				} else {
					name = folder + "." + name
				}
				if !listed[name] {
					t.Errorf("%s settles and is not listed", name)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("%d types settle", found)
	}
}

// settlers are the types of a file that have a method Settle.
func settlers(t *testing.T, path string) (names []string) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		m, ok := d.(*ast.FuncDecl)
		if !ok || m.Recv == nil || m.Name.Name != "Settle" {
			continue
		}
		of := m.Recv.List[0].Type
		if p, ok := of.(*ast.StarExpr); ok {
			of = p.X
		}
		names = append(names, of.(*ast.Ident).Name)
	}
	return names
}
