package lab

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// EndLosses are the shares of packets that captures of ends miss.
var EndLosses = []float64{0, 0.01, 0.05, 0.20}

// An EndRun is one session whose end is known, as one capture shows it.
type EndRun struct {
	Case  *tracegen.EndCase
	Place string
	Loss  float64 // by the capture
	Seed  uint64
}

// Name names the run: ParseEndRun finds it again.
func (r EndRun) Name() string {
	return fmt.Sprintf("%s/%s/%s/%d", r.Case.Name(), r.Place, strconv.FormatFloat(100*r.Loss, 'f', -1, 64), r.Seed)
}

// ParseEndRun finds the run of a name: dialect, event, place, capture loss in percent, seed.
func ParseEndRun(name string) (EndRun, error) { return parseEnd(name, tracegen.EndPlaces) }

// ParsePairedEnd finds the run of a name whose place is "both".
func ParsePairedEnd(name string) (EndRun, error) { return parseEnd(name, []string{"both"}) }

func parseEnd(name string, places []string) (r EndRun, err error) {
	f := strings.Split(name, "/")
	if len(f) != 5 {
		return r, fmt.Errorf("no run %q: want one like hazel/cut/middle/5/1", name)
	}
	loss, err1 := strconv.ParseFloat(f[3], 64)
	seed, err2 := strconv.ParseUint(f[4], 10, 64)
	if err1 != nil || err2 != nil || !slices.Contains(places, f[2]) {
		return r, fmt.Errorf("no run %q: want a place of %v, a share in percent and a seed", name, places)
	}
	for _, c := range tracegen.EndCases() {
		if c.Kind == f[0] && c.Event == f[1] {
			return EndRun{&c, f[2], loss / 100, seed}, nil
		}
	}
	return r, fmt.Errorf("no session %s/%s", f[0], f[1])
}

// Play plays the run.
func (r EndRun) Play() (*tracegen.EndSession, error) {
	s, err := r.Case.Play(r.Place, r.Seed)
	if err != nil {
		return nil, err
	}
	return r.captured(s), nil
}

// captured is what the capture of the run shows of the session.
func (r EndRun) captured(s *tracegen.EndSession) *tracegen.EndSession {
	return s.Missing(r.Loss, r.Seed*1000+uint64(math.Round(1000*r.Loss)))
}

// Explained is what is said of a capture.
func Explained(s *tracegen.EndSession) (*explain.Document, error) {
	story, conns, err := toldOf(s)
	if err != nil {
		return nil, err
	}
	return story.Document(conns), nil
}

// toldOf is what is known of the connections of a capture.
func toldOf(s *tracegen.EndSession) (*explain.Story, []*session.Conn, error) {
	var file bytes.Buffer
	if err := s.Write(&file); err != nil {
		return nil, nil, err
	}
	all, err := readAll(&file)
	if err != nil {
		return nil, nil, err
	}
	t := session.NewTable(session.Config{Protocols: speakers, Explain: true, Endings: true})
	end := int64(0)
	for i := range all {
		t.Add(&all[i])
		end = max(end, all[i].Time)
	}
	t.Close(end)
	conns := t.Conns()
	session.Number(conns)
	return explain.Tell(conns, t.Stories(), end), conns, nil
}

// What is said of an end, compared with what is true.
const (
	endRight = iota // one of the causes that an honest observer may name, and the side
	endOpen         // undecided, or that the capture lost what would tell
	endWrong        // another cause, or another side
	nEndMarks
)

// An EndResult is what was said of a run.
type EndResult struct {
	Run     EndRun
	Truth   tracegen.EndTruth
	Cause   string // said; "" when nothing is said of the two sides
	Side    string
	Sure    bool   // it is said to be proved
	Other   string // cause and side said of a further connection that may not be said
	Mark    int
	Blamed  bool     // a side is blamed for certain that it may not be
	Named   []string // contributing causes
	Lacking []string // of those that are to be named
	False   []string // said to be proved, and not true
	Doubt   []string // said to be likely, and not true

	Sentences int      // said of the two sides
	Untrue    []string // of them, see claims
	Unknown   []string // of them, that no claim knows
}

// First reports whether what is said is what the capture shows best.
func (r *EndResult) First() bool { return r.Mark == endRight && r.Cause == r.Truth.Accept[0].Cause }

// judge compares what is said with what is true.
func (r EndRun) judge(s *tracegen.EndSession) (*EndResult, error) {
	d, err := Explained(s)
	if err != nil {
		return nil, err
	}
	out := &EndResult{Run: r, Truth: s.Truth}
	out.hear(d)
	out.check(s, d)
	out.mark()
	return out, nil
}

// hear takes from a document what it says of the connection that is asked about, the first
// one of the two sides, or of their address pair.
func (r *EndResult) hear(d *explain.Document) {
	found := false
	for i := range d.Connections {
		c := &d.Connections[i]
		swapped := c.A == r.Truth.B && c.B == r.Truth.A
		if !swapped && (c.A != r.Truth.A || c.B != r.Truth.B) {
			continue
		}
		if found {
			r.hearOther(&c.Verdict, swapped)
			continue
		}
		found = true
		r.say(string(c.Verdict.Cause), c.Verdict.Side, swapped, c.Verdict.Certainty == explain.Proved)
		for k := range c.Contributing {
			x := &c.Contributing[k]
			if x.Certainty != explain.Unsettled { // that names nothing
				r.add(string(x.Cause), x.Certainty == explain.Proved)
			}
		}
	}
	for i := range d.Unrecognised {
		u := &d.Unrecognised[i]
		swapped := u.A == r.Truth.B && u.B == r.Truth.A
		if !found && (swapped || u.A == r.Truth.A && u.B == r.Truth.B) {
			r.say(string(u.Cause), u.Side, swapped, u.Certainty == explain.Proved)
			return
		}
	}
}

// check compares every sentence with what happened to each datagram.
func (r *EndResult) check(s *tracegen.EndSession, d *explain.Document) {
	for i := range d.Connections {
		c := &d.Connections[i]
		if hostOf(c.A) != hostOf(s.Truth.A) && hostOf(c.A) != hostOf(s.Truth.B) {
			continue
		}
		false, unknown, said := untrue(s, c)
		r.Sentences += said
		r.Untrue = append(r.Untrue, false...)
		r.Unknown = append(r.Unknown, unknown...)
	}
}

// instant reads a time of a record, 0 for none.
func instant(at string) int64 {
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return 0
	}
	return t.UnixNano()
}

func hostOf(address string) string {
	host, _, _ := net.SplitHostPort(address)
	return host
}

// hearOther takes what is said of a further connection of the two sides.
func (r *EndResult) hearOther(v *explain.Verdict, swapped bool) {
	side := named(v.Side, swapped)
	if len(r.Truth.Others) > 0 && v.Cause != explain.Undecided && !accepts(r.Truth.Others, string(v.Cause), side) {
		r.Other = string(v.Cause) + ":" + side
	}
}

// named gives a side the name it has in the truth.
func named(side string, swapped bool) string {
	if other := map[string]string{"a": "b", "b": "a"}[side]; swapped && other != "" {
		return other
	}
	return side
}

// accepts reports whether a verdict is one of those that may be said.
func accepts(all []tracegen.EndVerdict, cause, side string) bool {
	return slices.ContainsFunc(all, func(v tracegen.EndVerdict) bool { return v.Cause == cause && slices.Contains(v.Sides, side) })
}

func (r *EndResult) say(cause, side string, swapped, sure bool) {
	r.Cause, r.Side, r.Sure = cause, named(side, swapped), sure
}

func (r *EndResult) mark() {
	r.Mark = endWrong
	if accepts(r.Truth.Accept, r.Cause, r.Side) {
		r.Mark = endRight
	}
	whose := slices.ContainsFunc(r.Truth.Accept, func(v tracegen.EndVerdict) bool { return slices.Contains(v.Sides, r.Side) })
	if r.Mark == endWrong && (r.leavesOpen() || !r.Truth.Decidable && !r.Sure) {
		r.Mark = endOpen
	}
	if r.Other != "" {
		r.Mark = endWrong
	}
	r.Blamed = r.Mark == endWrong && r.Sure && r.Side != "" && !whose
	for _, x := range r.Truth.Must {
		if !slices.Contains(r.Named, x) {
			r.Lacking = append(r.Lacking, x)
		}
	}
}

// leavesOpen reports whether nothing is named. That the capture lost what would tell is
// false of one that lost nothing.
func (r *EndResult) leavesOpen() bool {
	return r.Cause == "" || r.Cause == string(explain.Undecided) || r.Cause == string(explain.PoorCapture) && r.Run.Loss > 0
}

// add takes a contributing cause.
func (r *EndResult) add(cause string, sure bool) {
	if !slices.Contains(r.Named, cause) {
		r.Named = append(r.Named, cause)
	}
	if !slices.Contains(r.Truth.MustNot, cause) && !slices.Contains(r.Truth.MustNot, "*") {
		return
	}
	if sure {
		r.False = append(r.False, cause)
	} else {
		r.Doubt = append(r.Doubt, cause)
	}
}

// An EndOptions says which runs are played.
type EndOptions struct {
	Seeds  int
	First  uint64 // seed
	Only   string // only runs whose name begins with that
	Losses []float64
	Sample int // of the sessions, every so many; 0: all
}

// Ends plays sessions whose end is known and tells what is said of them, in their order.
func Ends(o EndOptions) (all []*EndResult, err error) {
	if o.Losses == nil {
		o.Losses = EndLosses
	}
	var plays []EndRun
	for _, c := range tracegen.EndCases() {
		for _, place := range tracegen.EndPlaces {
			for seed := range uint64(o.Seeds) {
				r := EndRun{&c, place, 0, max(o.First, 1) + seed}
				if strings.HasPrefix(r.Name(), o.Only) || strings.HasPrefix(o.Only, c.Name()+"/"+place) {
					plays = append(plays, r)
				}
			}
		}
	}
	if o.Sample > 1 {
		plays = slices.DeleteFunc(plays, func(r EndRun) bool { return endSample(r)%uint64(o.Sample) != 0 })
	}
	results := make([][]*EndResult, len(plays))
	var mu sync.Mutex
	parallel(len(plays), func(i int) {
		list, bad := plays[i].under(o.Losses)
		mu.Lock()
		defer mu.Unlock()
		if results[i] = list; bad != nil {
			err = bad
		}
	})
	return slices.Concat(results...), err
}

// under plays a run once and judges captures of it that miss shares of the packets.
func (r EndRun) under(losses []float64) (all []*EndResult, err error) {
	s, err := r.Case.Play(r.Place, r.Seed)
	if err != nil {
		return nil, err
	}
	for _, loss := range losses {
		run := r
		run.Loss = loss
		result, err := run.judge(run.captured(s))
		if err != nil {
			return nil, err
		}
		all = append(all, result)
	}
	return all, nil
}

// endSample spreads runs evenly.
func endSample(r EndRun) uint64 { return hashed(r.Name()) }

func hashed(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
