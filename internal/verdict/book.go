package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A Book holds all rules there are, by their ids.
type Book struct {
	rules []*conform.Rule
	byID  map[string]*conform.Rule
	mild  map[string]bool // rules that blame nobody: they fail nothing unless they are named
}

// NewBook makes a book of the rules of protocols and of those that diagnose the
// capture and the network.
func NewBook(protocols, quality []conform.Rule) *Book {
	b := &Book{byID: map[string]*conform.Rule{}, mild: map[string]bool{}}
	for i := range protocols {
		b.add(&protocols[i])
	}
	for i := range quality {
		b.add(&quality[i])
		b.mild[quality[i].ID] = true
	}
	return b
}

func (b *Book) add(r *conform.Rule) {
	b.rules = append(b.rules, r)
	b.byID[r.ID] = r
}

// Rule finds a rule by its id; one that is reported under another id gives that one.
func (b *Book) Rule(id string) (*conform.Rule, error) {
	r := b.byID[id]
	if r == nil {
		return nil, fmt.Errorf("unknown rule %s%s", id, spell.DidYouMean(id, b.IDs()))
	}
	if to := b.byID[r.Alias]; to != nil {
		r = to
	}
	return r, nil
}

// IDs are the ids of all rules, in the order of their tables.
func (b *Book) IDs() (ids []string) {
	for _, r := range b.rules {
		ids = append(ids, r.ID)
	}
	return ids
}

// match gives the rules of a pattern, in which * stands for any text.
func (b *Book) match(pattern string) ([]*conform.Rule, error) {
	if !strings.Contains(pattern, "*") {
		r, err := b.Rule(pattern)
		return []*conform.Rule{r}, err
	}
	var found []*conform.Rule
	for _, r := range b.rules {
		if wild(pattern, r.ID) {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no rule matches %s", pattern)
	}
	return found, nil
}

// wild reports whether s fits a pattern in which * stands for any text.
func wild(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 {
		return pattern == s
	}
	rest, ok := strings.CutPrefix(s, parts[0])
	for _, p := range parts[1:last] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return ok && strings.HasSuffix(rest, parts[last])
}

// values are the names under which a profile may state a rule's value.
func (b *Book) values() (names []string) {
	for _, r := range b.rules {
		names = append(names, tails(r.ID)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// tails are "KN-CV-RESEND", "CV-RESEND" and "RESEND".
func tails(id string) []string {
	all := []string{id}
	for _, rest, ok := strings.Cut(id, "-"); ok; _, rest, ok = strings.Cut(rest, "-") {
		all = append(all, rest)
	}
	return all
}
