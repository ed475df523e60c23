// Package yamlfile reads YAML files of people strictly: the first mistake is told with its place.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/dpdissect/dpdissect/dissect/spell"
)

// A Reader takes a YAML document apart. The first mistake sticks.
type Reader struct {
	Err   error // a *Mistake, or nil
	file  string
	what  string // "a rules file"
	text  []byte
	lines Lines
}

// maxFile is the size a file may have, in bytes.
const maxFile = 64 << 20

// New reads the text of a file; what says what it is, as in "a rules file".
func New(file, what string, text []byte) *Reader {
	return &Reader{file: file, what: what, text: text, lines: SplitLines(text)}
}

// Fail marks a node as wrong.
func (r *Reader) Fail(n *yaml.Node, format string, args ...any) {
	r.FailAt(n.Line, n.Column, utf8.RuneCountInString(n.Value), format, args...)
}

// FailAt marks a place as wrong, by line, column and length in runes, from 1.
func (r *Reader) FailAt(line, column, length int, format string, args ...any) {
	if r.Err == nil {
		r.Err = &Mistake{r.file, line, column, length, r.lines.Line(line), fmt.Sprintf(format, args...)}
	}
}

// Root gives the root node of the only document, nil when the file says nothing.
func (r *Reader) Root() *yaml.Node {
	if len(r.text) > maxFile {
		r.FailAt(1, 1, 1, "more than %d bytes", maxFile)
		return nil
	}
	d := yaml.NewDecoder(bytes.NewReader(r.text))
	var doc, more yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		r.syntax(err)
		return nil
	}
	if err := d.Decode(&more); err == nil {
		r.Fail(more.Content[0], "a second document: %s must be a single one", r.what)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil
	}
	return root
}

var atLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntax passes on what the YAML library complains of.
func (r *Reader) syntax(err error) {
	m := atLine.FindStringSubmatch(err.Error())
	if m == nil {
		r.FailAt(1, 1, 1, "%v", err)
		return
	}
	line, _ := strconv.Atoi(m[1])
	line = max(line, 1)
	text := r.lines.Line(line)
	column := len(text) - len(strings.TrimLeft(text, " \t")) + 1
	r.FailAt(line, column, utf8.RuneCountInString(strings.TrimSpace(text)), "not YAML: %s", err.Error()[len(m[0]):])
}

// resolve follows an alias.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// A Member is a key of a mapping with its value.
type Member struct {
	Key, Value *yaml.Node
}

// Mapping gives the members of a mapping, each key once.
func (r *Reader) Mapping(n *yaml.Node, what string) (all []Member) {
	if n = resolve(n); n.Kind != yaml.MappingNode {
		r.Fail(n, "%s needs keys with values", what)
		return nil
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := resolve(n.Content[i])
		if k.Kind != yaml.ScalarNode {
			r.Fail(k, "a key of %s is not text", what)
			return nil
		}
		if seen[k.Value] {
			r.Fail(k, "%s is given twice", k.Value)
			return nil
		}
		seen[k.Value] = true
		all = append(all, Member{k, resolve(n.Content[i+1])})
	}
	return all
}

// Unknown complains of a key.
func (r *Reader) Unknown(k *yaml.Node, known ...string) {
	hint := spell.DidYouMean(k.Value, known)
	if hint == "" {
		hint = ": want " + spell.OrList(known)
	}
	r.Fail(k, "unknown key %s%s", k.Value, hint)
}

// Items gives the elements of a list; a single value stands for a list of one.
func (r *Reader) Items(n *yaml.Node) (all []*yaml.Node) {
	switch n = resolve(n); {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return nil
	case n.Kind != yaml.SequenceNode:
		return []*yaml.Node{n}
	}
	for _, e := range n.Content {
		all = append(all, resolve(e))
	}
	return all
}

// Text gives a scalar that is not empty.
func (r *Reader) Text(n *yaml.Node, what string) string {
	if n = resolve(n); n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" || n.Tag == "!!null" {
		r.Fail(n, "%s needs a text", what)
		return ""
	}
	return n.Value
}

// Boolean gives true or false.
func (r *Reader) Boolean(n *yaml.Node, what string) bool {
	if n = resolve(n); n.Tag != "!!bool" {
		r.Fail(n, "%s needs true or false", what)
		return false
	}
	b, _ := strconv.ParseBool(strings.ToLower(n.Value))
	return b
}
