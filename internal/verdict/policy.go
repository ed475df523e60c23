package verdict

import (
	"net/netip"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/dissect/syntax"
	"github.com/dpdissect/dpdissect/internal/yamlfile"
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
	r := &policyReader{reader{yamlfile.New(file, "a rules file", text)}, book, p}
	if root := r.Root(); root != nil && r.Err == nil {
		for _, m := range r.Mapping(root, "a rules file") {
			r.top(m)
		}
	}
	return p, r.Err
}

type policyReader struct {
	reader
	book   *Book
	policy *Policy
}

func (r *policyReader) top(m yamlfile.Member) {
	p := r.policy
	switch m.Key.Value {
	case "fail-on":
		p.FailOn = r.grade(m.Value, false).Severity
	case "profiles":
		r.profiles(m.Value)
	case "values":
		r.values(m.Value)
	case "severities":
		for _, s := range r.Mapping(m.Value, "severities") {
			r.severity(s)
		}
	case "suppressions":
		for _, n := range r.Items(m.Value) {
			p.Suppressions = append(p.Suppressions, r.suppression(n))
		}
	case "budgets":
		for _, n := range r.Items(m.Value) {
			r.budget(n)
		}
	case "required":
		for _, n := range r.Items(m.Value) {
			r.required(n)
		}
	case "certainty":
		r.certainty(m.Value)
	default:
		r.Unknown(m.Key, topKeys...)
	}
}

func (r *policyReader) profiles(n *yaml.Node) {
	for _, e := range r.Items(n) {
		switch name := r.Text(e, "profiles"); name {
		case "strict-text":
			r.policy.Profile.Strict = true
		case "windows":
			r.policy.Profile.Windows = true
		case "operation":
			r.policy.Operation = true
		default:
			known := []string{"operation", "strict-text", "windows"}
			r.Fail(e, "unknown profile %s%s: want %s", name, spell.DidYouMean(name, known), spell.OrList(known))
		}
	}
}

// values states characteristic values, by the last parts of the rule's id, or by
// the whole of it.
func (r *policyReader) values(n *yaml.Node) {
	known := r.book.values()
	r.policy.Profile.Values = map[string]float64{}
	for _, m := range r.Mapping(n, "values") {
		name := m.Key.Value
		if _, ok := slices.BinarySearch(known, name); !ok {
			r.Fail(m.Key, "no rule matches %s%s", name, spell.DidYouMean(name, known))
			return
		}
		v := r.quantity(m.Value, name)
		for _, tail := range tails(name) {
			r.policy.Profile.Values[tail] = v
		}
	}
}

func (r *policyReader) match(n *yaml.Node) []*conform.Rule {
	name := r.Text(n, "a rule")
	if r.Err != nil {
		return nil
	}
	rules, err := r.book.match(name)
	if err != nil {
		r.Fail(n, "%v", err)
	}
	return rules
}

func (r *policyReader) severity(m yamlfile.Member) {
	g := r.grade(m.Value, true)
	for _, rule := range r.match(m.Key) {
		if r.Err == nil {
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
	r.Fail(n, "unknown severity %s: want %s", n.Value, spell.OrList(words))
	return g
}

func (r *policyReader) suppression(n *yaml.Node) (s Suppression) {
	known := []string{"rule", "connection", "address", "reason", "expires"}
	s.Line, s.rules = n.Line, map[string]bool{}
	for _, m := range r.Mapping(n, "a suppression") {
		switch m.Key.Value {
		case "rule":
			s.Pattern = m.Value.Value
			for _, rule := range r.match(m.Value) {
				if rule != nil {
					s.rules[rule.ID] = true
				}
			}
		case "connection":
			id, err := strconv.Atoi(m.Value.Value)
			if err != nil || id < 0 {
				r.Fail(m.Value, "connection needs the number of a connection, from 0")
			}
			s.Connection = &id
		case "address":
			r.address(&s, m.Value)
		case "reason":
			s.Reason = r.Text(m.Value, "reason")
		case "expires":
			s.Expires = m.Value.Value
			if _, err := time.Parse(time.DateOnly, s.Expires); err != nil {
				r.Fail(m.Value, "expires needs a day such as 2026-12-31")
			}
		default:
			r.Unknown(m.Key, known...)
		}
	}
	switch {
	case s.Pattern == "":
		r.Fail(n, "the suppression names no rule")
	case s.Reason == "":
		r.Fail(n, "the suppression gives no reason")
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
		r.Fail(n, "address needs a value such as 192.0.2.10, 192.0.2.10:2302, [2001:db8::1]:2302 or 192.0.2.0/24")
		return
	}
	addr = addr.Unmap()
	s.prefix = netip.PrefixFrom(addr, addr.BitLen())
}

func (r *policyReader) budget(n *yaml.Node) {
	expr, b := n, Budget{}
	if n.Kind == yaml.MappingNode {
		expr = nil
		for _, m := range r.Mapping(n, "a budget") {
			switch m.Key.Value {
			case "budget":
				expr = m.Value
			case "name":
				b.Name = r.Text(m.Value, "name")
			case "optional":
				b.Optional = r.Boolean(m.Value, "optional")
			default:
				r.Unknown(m.Key, "budget", "name", "optional")
			}
		}
		if expr == nil {
			r.Fail(n, "the entry has no budget")
			return
		}
	}
	text := r.Text(expr, "a budget")
	if r.Err != nil {
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
	e, ok := err.(*syntax.Error)
	if !ok || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		r.Fail(n, "%v", err)
		return
	}
	column := n.Column + e.Column - 1
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		column++
	}
	r.FailAt(n.Line, column, e.Length, "%s", e.Message)
}

func (r *policyReader) required(n *yaml.Node) {
	name := r.Text(n, "required")
	if r.Err != nil {
		return
	}
	rule, err := r.book.Rule(name)
	if err != nil {
		r.Fail(n, "%v", err)
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
	for _, m := range r.Mapping(n, "certainty") {
		switch m.Key.Value {
		case "max-capture-loss":
			c.MaxCaptureLoss = r.share(m.Value, m.Key.Value)
		case "max-inconclusive":
			c.MaxInconclusive = r.share(m.Value, m.Key.Value)
		default:
			r.Unknown(m.Key, "max-capture-loss", "max-inconclusive")
		}
	}
}
