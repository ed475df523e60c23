package conform

import "strings"

// A Rule is one clause of a text that an observer can check, as data. The code
// that evaluates it lives beside the table of its protocol.
type Rule struct {
	ID        string // "DP8-2.2.1.2-POLL-LISTENER"
	Clause    string // "MC-DPL8R 2.2.1.2"
	Level     Level
	Severity  Severity
	Scope     string // see Scopes
	Guards    Guards // besides Always
	Statement string // what must hold
	Care      string // how the evaluation avoids to blame the wrong one, or ""
	Example   string // a violation
	Alias     string // the rule under which the same event is reported, or ""
	Unchecked string // why it is not evaluated, "" when it is

	// CountOnly: it is counted but can never be called broken: every opportunity
	// passes or stays inconclusive, for no capture holds the proof.
	CountOnly bool
	// Summed: what breaks it is a habit of its side, so that it is reported once a side, with
	// how often it was seen.
	Summed bool
	// Operation: what breaks it troubles the people who run the endpoints; the profile of
	// the same name judges by these rules alone.
	Operation bool
	// Seldom: sessions as they are in the field give nearly never an opportunity, so that
	// no finding says little.
	Seldom bool
}

// EndpointFault reports whether breaking the rule is an endpoint's fault; rules of Quality
// describe the capture and the network.
func (r *Rule) EndpointFault() bool { return r.ID[:4] != "CAP-" && r.ID[:4] != "FLD-" }

// Level is how strongly a text asks for something.
type Level uint8

const (
	Must Level = iota // also facts of the wire format
	Should
	Rec  // recommended or default values
	Impl // not stated; follows from the text or from all known implementations
)

var levelNames = [...]string{"MUST", "SHOULD", "REC", "IMPL"}

func (l Level) String() string { return levelNames[l] }

// Scopes explains the letters of Rule.Scope.
var Scopes = map[byte]string{
	'F': "one frame", 'D': "state of one direction", 'B': "state of both directions", 'T': "depends on times",
}

// A Guard is a precondition for calling something broken: while it is not
// satisfied the verdict is inconclusive.
type Guard uint8

const (
	GuardNone Guard = iota
	GuardDup
	GuardSnap
	GuardSum
	GuardLife
	GuardStart
	GuardBidir
	GuardClean
	GuardHold
	GuardOdds
	GuardKnew
	GuardReord
	GuardVant
	GuardRTT
	GuardClock
	GuardRole
	GuardVer
	GuardDial
	GuardUnwrap
	GuardAuth
	GuardSample
	nGuards
)

// A GuardText names a guard and says what it asks for.
type GuardText struct{ Name, Asks string }

var guardTexts = [nGuards]GuardText{
	GuardDup:    {"DUP", "the frame is not a copy made by the network or the capture"},
	GuardSnap:   {"SNAP", "all bytes of the datagram were captured"},
	GuardSum:    {"SUM", "the UDP checksum is correct, absent, or plausibly computed by hardware later"},
	GuardLife:   {"LIFE", "the frame belongs to the connection it is compared with"},
	GuardStart:  {"START", "the first frame of the connection is in the capture"},
	GuardBidir:  {"BIDIR", "both directions are visible"},
	GuardClean:  {"CLEAN", "the capture has no unexplained gap in the window the rule uses"},
	GuardHold:   {"HOLD", "the verdict waited, and no frame that could explain the case came in time"},
	GuardOdds:   {"ODDS", "it is not believable that the capture missed all acknowledgements that would explain it"},
	GuardKnew:   {"KNEW", "the endpoint demonstrably received the frame that it seems to ignore"},
	GuardReord:  {"REORD", "the order is the send order, not merely the capture order"},
	GuardVant:   {"VANT", "the time bound holds at any capture point"},
	GuardRTT:    {"RTT", "there are enough round-trip samples"},
	GuardClock:  {"CLOCK", "capture times do not run backwards and have sufficient resolution"},
	GuardRole:   {"ROLE", "it is known which side opened the connection"},
	GuardVer:    {"VER", "the protocol version of both sides is known"},
	GuardDial:   {"DIAL", "the dialect is known"},
	GuardUnwrap: {"UNWRAP", "the full number that the truncated one on the wire stands for is beyond doubt"},
	GuardAuth:   {"AUTH", "the frame comes from the endpoint: its signature is valid"},
	GuardSample: {"SAMPLE", "there are enough observations"},
}

func (g Guard) String() string { return guardTexts[g].Name }

// Asks says what the guard demands.
func (g Guard) Asks() string { return guardTexts[g].Asks }

// Guards is a set of guards.
type Guards uint32

// Of makes a set.
func Of(list ...Guard) (s Guards) {
	for _, g := range list {
		s |= 1 << g
	}
	return s
}

// Has reports whether the guard is in the set.
func (s Guards) Has(g Guard) bool { return s>>g&1 != 0 }

// List gives the guards of the set in their order.
func (s Guards) List() (list []Guard) {
	for g := GuardDup; g < nGuards; g++ {
		if s.Has(g) {
			list = append(list, g)
		}
	}
	return list
}

func (s Guards) String() string {
	var names []string
	for _, g := range s.List() {
		names = append(names, g.String())
	}
	return strings.Join(names, " ")
}

// Always are the guards that apply to every rule.
var Always = Of(GuardDup, GuardSnap, GuardSum, GuardLife)

// A Tally counts how the opportunities of a rule ended.
type Tally struct {
	Pass, Fail, Inconclusive uint64
	Blocked                  [nGuards]uint64 // the inconclusive ones by guard
}

// Opportunities counts the evaluations of the rule.
func (t *Tally) Opportunities() uint64 { return t.Pass + t.Fail + t.Inconclusive }

// Add enters another tally of the same rule.
func (t *Tally) Add(o *Tally) {
	t.Pass += o.Pass
	t.Fail += o.Fail
	t.Inconclusive += o.Inconclusive
	for g := range t.Blocked {
		t.Blocked[g] += o.Blocked[g]
	}
}

// A RuleTally is a rule of a run with its tally.
type RuleTally struct {
	Rule *Rule
	Tally
}
