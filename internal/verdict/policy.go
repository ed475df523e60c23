package verdict

import (
	"net/netip"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A Policy says what is good enough.
type Policy struct {
	FailOn       conform.Severity // findings at or above it fail
	Severities   map[string]Grade // by the id of the rule
	Suppressions []Suppression
	Budgets      []*Budget
	Required     []*conform.Rule // must have been evaluated, with a clear end
	Certainty    Certainty
	Profile      conform.Profile
	Operation    bool // rules that are not conform.Rule.Operation are off unless they are named
}

// A Grade is what a rules file makes of a rule.
type Grade struct {
	Severity conform.Severity
	Off      bool // its findings are not reported
}

// Certainty is how good the capture must be; nil asks for nothing.
type Certainty struct {
	MaxCaptureLoss  *float64 // share of datagrams missing in the capture, of each direction
	MaxInconclusive *float64 // share of opportunities that end so
}

// A Suppression takes findings out that somebody decided to live with.
type Suppression struct {
	Pattern    string // of rules, as written
	Connection *int   // of this id alone
	Address    string // of connections with it alone, as written
	Reason     string
	Expires    string // last day it holds, "2026-12-31", or ""
	Line       int    // in the rules file

	rules  map[string]bool
	prefix netip.Prefix
	port   uint16 // 0: any
}

// applies reports whether the suppression takes a finding out.
func (s *Suppression) applies(f *session.Finding) bool {
	if !s.rules[f.Rule.ID] {
		return false
	}
	if s.Connection == nil && s.Address == "" {
		return true
	}
	if f.Conn == nil || s.Connection != nil && *s.Connection != f.Conn.ID {
		return false
	}
	if s.Address == "" {
		return true
	}
	for _, e := range []struct {
		addr netip.Addr
		port uint16
	}{{f.Conn.A.Addr(), f.Conn.A.Port}, {f.Conn.B.Addr(), f.Conn.B.Port}} {
		if s.prefix.Contains(e.addr) && (s.port == 0 || s.port == e.port) {
			return true
		}
	}
	return false
}

// Expired reports whether the suppression no longer holds on a day, "2026-11-20".
func (s *Suppression) Expired(today string) bool { return s.Expires != "" && today > s.Expires }

// NewPolicy is what holds without a rules file.
func NewPolicy() *Policy { return &Policy{FailOn: conform.Error, Severities: map[string]Grade{}} }

var topKeys = []string{"fail-on", "profiles", "values", "severities", "suppressions", "budgets", "required", "certainty"}

// ReadPolicy reads a rules file. An error is a *Mistake that marks the place.
func ReadPolicy(file string, text []byte, book *Book) (*Policy, error) {
	p := NewPolicy()
	r := &policyReader{reader{file: file, lines: splitLines(text)}, book, p}
	if len(text) > maxFile {
		r.failAt(1, 1, 1, "more than %d bytes", maxFile)
	} else if root := r.parse(text); root != nil && r.err == nil {
		for _, m := range r.mapping(root, "a rules file") {
			r.top(m)
		}
	}
	return p, r.err
}

type policyReader struct {
	reader
	book   *Book
	policy *Policy
}

func (r *policyReader) top(m member) {
	p := r.policy
	switch m.key.Value {
	case "fail-on":
		p.FailOn = r.grade(m.value, false).Severity
	case "profiles":
		r.profiles(m.value)
	case "values":
		r.values(m.value)
	case "severities":
		for _, s := range r.mapping(m.value, "severities") {
			r.severity(s)
		}
	case "suppressions":
		for _, n := range r.items(m.value) {
			p.Suppressions = append(p.Suppressions, r.suppression(n))
		}
	case "budgets":
		for _, n := range r.items(m.value) {
			r.budget(n)
		}
	case "required":
		for _, n := range r.items(m.value) {
			r.required(n)
		}
	case "certainty":
		r.certainty(m.value)
	default:
		r.unknown(m.key, topKeys...)
	}
}

func (r *policyReader) profiles(n *yaml.Node) {
	for _, e := range r.items(n) {
		switch name := r.text(e, "profiles"); name {
		case "strict-text":
			r.policy.Profile.Strict = true
		case "windows":
			r.policy.Profile.Windows = true
		case "operation":
			r.policy.Operation = true
		default:
			known := []string{"operation", "strict-text", "windows"}
			r.fail(e, "unknown profile %s%s: want %s", name, filter.DidYouMean(name, known), list(known))
		}
	}
}

// values states characteristic values, by the last parts of the rule's id, or by
// the whole of it.
func (r *policyReader) values(n *yaml.Node) {
	known := r.book.values()
	r.policy.Profile.Values = map[string]float64{}
	for _, m := range r.mapping(n, "values") {
		name := m.key.Value
		if _, ok := slices.BinarySearch(known, name); !ok {
			r.fail(m.key, "no rule is about %s%s", name, filter.DidYouMean(name, known))
			return
		}
		v := r.quantity(m.value, name)
		for _, tail := range tails(name) {
			r.policy.Profile.Values[tail] = v
		}
	}
}

func (r *policyReader) match(n *yaml.Node) []*conform.Rule {
	name := r.text(n, "a rule")
	if r.err != nil {
		return nil
	}
	rules, err := r.book.match(name)
	if err != nil {
		r.fail(n, "%v", err)
	}
	return rules
}

func (r *policyReader) severity(m member) {
	g := r.grade(m.value, true)
	for _, rule := range r.match(m.key) {
		if r.err == nil {
			r.policy.Severities[rule.ID] = g
		}
	}
}

func (r *policyReader) grade(n *yaml.Node, mayBeOff bool) (g Grade) {
	for s := conform.Error; s <= conform.Note; s++ {
		if n.Value == s.String() {
			return Grade{Severity: s}
		}
	}
	words := []string{"note", "warn", "error"}
	if mayBeOff {
		if words = append(words, "off"); n.Value == "off" || n.Tag == "!!bool" && n.Value == "false" {
			return Grade{Off: true}
		}
	}
	r.fail(n, "unknown severity %s: want %s", n.Value, list(words))
	return g
}

func (r *policyReader) suppression(n *yaml.Node) (s Suppression) {
	known := []string{"rule", "connection", "address", "reason", "expires"}
	s.Line, s.rules = n.Line, map[string]bool{}
	for _, m := range r.mapping(n, "a suppression") {
		switch m.key.Value {
		case "rule":
			s.Pattern = m.value.Value
			for _, rule := range r.match(m.value) {
				if rule != nil {
					s.rules[rule.ID] = true
				}
			}
		case "connection":
			id, err := strconv.Atoi(m.value.Value)
			if err != nil || id < 0 {
				r.fail(m.value, "connection wants the number of one, from 0")
			}
			s.Connection = &id
		case "address":
			r.address(&s, m.value)
		case "reason":
			s.Reason = r.text(m.value, "reason")
		case "expires":
			s.Expires = m.value.Value
			if _, err := time.Parse(time.DateOnly, s.Expires); err != nil {
				r.fail(m.value, "expires wants a day as 2026-12-31")
			}
		default:
			r.unknown(m.key, known...)
		}
	}
	switch {
	case s.Pattern == "":
		r.fail(n, "the suppression names no rule")
	case s.Reason == "":
		r.fail(n, "the suppression gives no reason")
	}
	return s
}

// address is an address, alone or with a port, or a network.
func (r *policyReader) address(s *Suppression, n *yaml.Node) {
	s.Address = n.Value
	if p, err := netip.ParsePrefix(n.Value); err == nil {
		s.prefix = p.Masked()
		return
	}
	addr, err := netip.ParseAddr(n.Value)
	if err != nil {
		var ap netip.AddrPort
		ap, err = netip.ParseAddrPort(n.Value)
		addr, s.port = ap.Addr(), ap.Port()
	}
	if err != nil {
		r.fail(n, "address wants one as 192.0.2.10, 192.0.2.10:2302, [2001:db8::1]:2302 or 192.0.2.0/24")
		return
	}
	addr = addr.Unmap()
	s.prefix = netip.PrefixFrom(addr, addr.BitLen())
}

func (r *policyReader) budget(n *yaml.Node) {
	expr, b := n, Budget{}
	if n.Kind == yaml.MappingNode {
		expr = nil
		for _, m := range r.mapping(n, "a budget") {
			switch m.key.Value {
			case "budget":
				expr = m.value
			case "name":
				b.Name = r.text(m.value, "name")
			case "optional":
				b.Optional = r.boolean(m.value, "optional")
			default:
				r.unknown(m.key, "budget", "name", "optional")
			}
		}
		if expr == nil {
			r.fail(n, "the entry has no budget")
			return
		}
	}
	text := r.text(expr, "a budget")
	if r.err != nil {
		return
	}
	parsed, err := ParseBudget(text)
	if err != nil {
		r.budgetMistake(expr, err)
		return
	}
	parsed.Name, parsed.Optional = b.Name, b.Optional
	r.policy.Budgets = append(r.policy.Budgets, parsed)
}

// budgetMistake marks the place within the expression.
func (r *policyReader) budgetMistake(n *yaml.Node, err error) {
	e, ok := err.(*filter.Error)
	if !ok || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		r.fail(n, "%v", err)
		return
	}
	column := n.Column + e.Column - 1
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		column++
	}
	r.failAt(n.Line, column, e.Length, "%s", e.Message)
}

func (r *policyReader) required(n *yaml.Node) {
	name := r.text(n, "required")
	if r.err != nil {
		return
	}
	rule, err := r.book.Rule(name)
	if err != nil {
		r.fail(n, "%v", err)
		return
	}
	r.policy.Require(rule)
}

// Require adds a rule to the required ones, unless it is there.
func (p *Policy) Require(rule *conform.Rule) {
	if !slices.Contains(p.Required, rule) {
		p.Required = append(p.Required, rule)
	}
}

func (r *policyReader) certainty(n *yaml.Node) {
	c := &r.policy.Certainty
	for _, m := range r.mapping(n, "certainty") {
		switch m.key.Value {
		case "max-capture-loss":
			c.MaxCaptureLoss = r.share(m.value, m.key.Value)
		case "max-inconclusive":
			c.MaxInconclusive = r.share(m.value, m.key.Value)
		default:
			r.unknown(m.key, "max-capture-loss", "max-inconclusive")
		}
	}
}
