package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// A change is one place of a file with other text: a mutant.
type change struct {
	File     string // relative to the module
	Line     int
	From, To int    // bytes of the file
	Text     string // what stands there instead
	Name     string // what is changed, as "+ to -"
}

// key names a change for as long as its file stays as it is.
func (c *change) key() string { return fmt.Sprintf("%s:%d-%d %s", c.File, c.From, c.To, c.Name) }

// apply gives the text of the file with the change.
func (c *change) apply(source []byte) []byte {
	return []byte(string(source[:c.From]) + c.Text + string(source[c.To:]))
}

// operators gives what stands in the place of an operator.
var operators = map[token.Token]string{
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.REM: "/",
	token.AND: "|", token.OR: "&", token.XOR: "&", token.SHL: ">>", token.SHR: "<<", token.AND_NOT: "&",
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&",
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "/=", token.QUO_ASSIGN: "*=",
	token.AND_ASSIGN: "|=", token.OR_ASSIGN: "&=", token.SHL_ASSIGN: ">>=", token.SHR_ASSIGN: "<<=", token.AND_NOT_ASSIGN: "&=",
	token.INC: "--", token.DEC: "++",
}

// A finder collects the changes of one file.
type finder struct {
	file   string
	source []byte
	tokens *token.File
	all    []change
}

// changesOf gives all changes of a file, in the order of their places.
func changesOf(file string, source []byte) ([]change, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := finder{file: file, source: source, tokens: set.File(tree.Pos())}
	ast.Inspect(tree, f.visit)
	return f.all, nil
}

// add notes that what stands at from to to is replaced.
func (f *finder) add(from, to token.Pos, text, format string, args ...any) {
	f.all = append(f.all, change{File: f.file, Line: f.tokens.Line(from), From: f.tokens.Offset(from), To: f.tokens.Offset(to),
		Text: text, Name: fmt.Sprintf(format, args...)})
}

// swap replaces an operator.
func (f *finder) swap(at token.Pos, op token.Token) {
	if other := operators[op]; other != "" {
		f.add(at, at+token.Pos(len(op.String())), other, "%s to %s", op, other)
	}
}

// visit looks at a node and reports whether to look at what is in it.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		name, _ := n.Fun.(*ast.Ident)
		return name == nil || name.Name != "make" && name.Name != "panic" // sizes and words change nothing
	case *ast.ArrayType, *ast.ImportSpec, *ast.Field:
		return false
	case *ast.BinaryExpr:
		if !f.joinsText(n) {
			f.swap(n.OpPos, n.Op)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.add(n.OpPos, n.OpPos+1, "", "! left out")
		}
	case *ast.BasicLit:
		f.number(n)
	case *ast.Ident:
		if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" {
			f.add(n.Pos(), n.End(), other, "%s to %s", n.Name, other)
		}
	case *ast.IfStmt:
		f.add(n.Cond.Pos(), n.Cond.End(), "!("+f.text(n.Cond)+")", "condition negated")
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	}
	return true
}

// joinsText reports a sum that is one of strings: any other operator does not compile.
func (f *finder) joinsText(n *ast.BinaryExpr) bool {
	for _, side := range []ast.Expr{n.X, n.Y} {
		if b, ok := side.(*ast.BasicLit); ok && b.Kind == token.STRING && n.Op == token.ADD {
			return true
		}
	}
	return false
}

// number makes a whole number one more, and one less where it is not 0.
func (f *finder) number(n *ast.BasicLit) {
	v, err := strconv.ParseUint(n.Value, 0, 63)
	if n.Kind != token.INT || err != nil {
		return
	}
	f.add(n.Pos(), n.End(), fmt.Sprint(v+1), "%s to %d", n.Value, v+1)
	if v > 0 {
		f.add(n.Pos(), n.End(), fmt.Sprint(v-1), "%s to %d", n.Value, v-1)
	}
}

// statements leaves out, one at a time, those that others can do without, and swaps the
// operators of those that have one.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.IncDecStmt:
			f.swap(s.TokPos, s.Tok)
		case *ast.AssignStmt:
			f.swap(s.TokPos, s.Tok)
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt, *ast.BranchStmt, *ast.DeferStmt:
		default:
			continue
		}
		first, _, _ := strings.Cut(f.text(s), "\n")
		f.add(s.Pos(), s.End(), "", "left out: %s", first)
	}
}

// text is a node as it is written.
func (f *finder) text(n ast.Node) string {
	return string(f.source[f.tokens.Offset(n.Pos()):f.tokens.Offset(n.End())])
}
