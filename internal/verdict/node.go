package verdict

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

	"github.com/dpdissect/dpdissect/dissect/filter"
)

// A reader takes a YAML document apart. The first mistake sticks.
type reader struct {
	file  string
	lines lines
	err   error
}

// maxFile is the size a rules file or a baseline may have, in bytes.
const maxFile = 64 << 20

// fail marks a node as wrong.
func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.failAt(n.Line, n.Column, utf8.RuneCountInString(n.Value), format, args...)
}

func (r *reader) failAt(line, column, length int, format string, args ...any) {
	if r.err == nil {
		r.err = &Mistake{r.file, line, column, length, r.lines.line(line), fmt.Sprintf(format, args...)}
	}
}

// parse gives the root node of the only document, nil when the file says nothing.
func (r *reader) parse(text []byte) *yaml.Node {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		r.syntax(err)
		return nil
	}
	if err := d.Decode(&more); err == nil {
		r.fail(more.Content[0], "a second document: a rules file is one")
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil
	}
	return root
}

var atLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntax passes on what the YAML library complains of.
func (r *reader) syntax(err error) {
	m := atLine.FindStringSubmatch(err.Error())
	if m == nil {
		r.failAt(1, 1, 1, "%v", err)
		return
	}
	line, _ := strconv.Atoi(m[1])
	line = max(line, 1)
	text := r.lines.line(line)
	column := len(text) - len(strings.TrimLeft(text, " \t")) + 1
	r.failAt(line, column, utf8.RuneCountInString(strings.TrimSpace(text)), "no YAML: %s", err.Error()[len(m[0]):])
}

// resolve follows an alias.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// A member is a key of a mapping with its value.
type member struct {
	key, value *yaml.Node
}

// mapping gives the members of a mapping, each key once.
func (r *reader) mapping(n *yaml.Node, what string) (all []member) {
	if n = resolve(n); n.Kind != yaml.MappingNode {
		r.fail(n, "%s wants keys with values", what)
		return nil
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := resolve(n.Content[i])
		if k.Kind != yaml.ScalarNode {
			r.fail(k, "a key of %s is no text", what)
			return nil
		}
		if seen[k.Value] {
			r.fail(k, "%s is given twice", k.Value)
			return nil
		}
		seen[k.Value] = true
		all = append(all, member{k, resolve(n.Content[i+1])})
	}
	return all
}

// unknown complains of a key.
func (r *reader) unknown(k *yaml.Node, known ...string) {
	hint := filter.DidYouMean(k.Value, known)
	if hint == "" {
		hint = ": want " + list(known)
	}
	r.fail(k, "unknown key %s%s", k.Value, hint)
}

func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// items gives the elements of a list; a single value stands for a list of one.
func (r *reader) items(n *yaml.Node) (all []*yaml.Node) {
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

// text gives a scalar that is not empty.
func (r *reader) text(n *yaml.Node, what string) string {
	if n = resolve(n); n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" || n.Tag == "!!null" {
		r.fail(n, "%s wants a text", what)
		return ""
	}
	return n.Value
}

func (r *reader) boolean(n *yaml.Node, what string) bool {
	if n = resolve(n); n.Tag != "!!bool" {
		r.fail(n, "%s wants true or false", what)
		return false
	}
	b, _ := strconv.ParseBool(strings.ToLower(n.Value))
	return b
}

// quantity gives a number with its unit, as budgets write it.
func (r *reader) quantity(n *yaml.Node, what string) float64 {
	s := r.text(n, what)
	if r.err != nil {
		return 0
	}
	v, err := parseQuantity(s)
	if err != nil {
		r.fail(n, "%s: %v", what, err)
	}
	return v
}

// share is a quantity between 0 and 1.
func (r *reader) share(n *yaml.Node, what string) *float64 {
	v := r.quantity(n, what)
	if r.err == nil && (v < 0 || v > 1) {
		r.fail(n, "%s wants a share from 0%% to 100%%", what)
	}
	return &v
}
