// Package flight is the flight recorder: it keeps the packets of the last seconds
// and, when something happens on a connection that its trigger names, writes them to
// a capture file of their own, with what was found out as comments on the packets.
package flight

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/record"
	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/internal/trigger"
	"github.com/dpdissect/dpdissect/session"
)

// Options of a Recorder.
type Options struct {
	Trigger *trigger.Trigger
	Keep    time.Duration  // how much a dump holds; no two dumps begin closer to each other
	Retain  int            // dumps of this name that may be there, those of earlier runs included; 0 for any number
	File    record.Options // of the capture beside which dumps are written, with its interfaces
	Tell    func(string)   // is told of dumps, one line each
}

// A Recorder is used in the goroutine of the tracker.
type Recorder struct {
	opts    Options
	keep    *record.Keep
	sampler sampler.Sampler
	conns   map[*session.Conn]*past
	totals  Totals
	wide    lasting // of the whole capture
	pending []string
	last    time.Time // of the latest dump
	dumps   int
}

// Totals are what a trigger may ask of the whole capture.
type Totals struct{ Dropped, Malformed uint64 }

// past is what was known of a connection at the last look.
type past struct {
	over     bool
	findings [3]uint64
	invalid  uint64
	lasting  lasting
	held     trigger.Held
	seen     bool // at this look
}

// How many reasons the comment of a dump names, and how many are told.
const (
	maxReasons  = 20
	toldReasons = 3
)

// New makes a Recorder. Memory is taken as packets come.
func New(o Options) *Recorder {
	return &Recorder{
		opts: o, keep: record.NewKeep(record.KeepOptions{Duration: o.Keep}), conns: map[*session.Conn]*past{},
	}
}

// Add keeps a packet.
func (r *Recorder) Add(rec *capture.Record, frame uint64) { r.keep.Add(rec, frame) }

// Look judges what happened since the look before: conns are the connections that
// are followed and those that ended since, with their ids, fresh the findings.
func (r *Recorder) Look(now time.Time, totals Totals, conns []*session.Conn, fresh []session.Finding) {
	for i := range fresh {
		r.note(&fresh[i])
	}
	snap := r.sampler.Snapshot(sampler.Status{Now: now.UnixNano()}, conns)
	rows := make(map[int]*sampler.Row, len(snap.Rows))
	for i := range snap.Rows {
		rows[snap.Rows[i].ID] = &snap.Rows[i]
	}
	r.judgeCapture(totals)
	for _, c := range conns {
		r.judge(now.UnixNano(), c, rows[c.ID])
	}
	for c, p := range r.conns {
		if !p.seen {
			delete(r.conns, c)
		}
		p.seen = false
	}
	if len(r.pending) > 0 && (r.last.IsZero() || now.Sub(r.last) >= r.opts.Keep) {
		r.dump(now)
	}
}

// Close writes the dump that was due while another was too close.
func (r *Recorder) Close(now time.Time) {
	if len(r.pending) > 0 {
		r.dump(now)
	}
}

// Dumps counts the files that were written.
func (r *Recorder) Dumps() int { return r.dumps }

// comment puts a comment on a packet. What packets carry stands in it escaped, as in all other
// output.
func (r *Recorder) comment(frame uint64, text string) { r.keep.Comment(frame, escaped(text)) }

// note puts a finding on its packet.
func (r *Recorder) note(f *session.Finding) {
	if !f.Failed() {
		return
	}
	r.sampler.Note(f)
	r.comment(f.Frame, fmt.Sprintf("%s %s: %s", f.Severity, f.Rule.ID, f.Message))
}

// judgeCapture asks the trigger about what belongs to no connection.
func (r *Recorder) judgeCapture(t Totals) {
	f := trigger.Facts{Dropped: t.Dropped - r.totals.Dropped, Malformed: t.Malformed - r.totals.Malformed}
	r.totals = t
	if f.Dropped == 0 && f.Malformed == 0 {
		r.wide = lasting{}
		return
	}
	r.ask(&f, &r.wide, func() string { return "" })
}

// lasting is what made a trigger true at the look before.
type lasting struct {
	met   bool
	words []string
}

// ask asks the trigger. It fires for events, and for what lasts once: when it was
// not so at the look before.
func (r *Recorder) ask(f *trigger.Facts, before *lasting, where func() string) {
	reasons, ok := r.opts.Trigger.Match(f)
	fires := ok && !before.met
	now := lasting{met: ok}
	var texts []string
	for _, x := range reasons {
		texts = append(texts, x.Text)
		fires = fires || x.Event || !slices.Contains(before.words, x.Word)
		now.words = append(now.words, x.Word)
	}
	*before = now
	if fires {
		r.fire(where(), texts)
	}
}

// judge asks the trigger about a connection.
func (r *Recorder) judge(now int64, c *session.Conn, row *sampler.Row) {
	p := r.conns[c]
	f := trigger.Facts{Connected: p == nil}
	if p == nil {
		p = &past{}
		r.conns[c] = p
	}
	p.seen = true
	f.Time, f.Held = now, &p.held
	events(&f, p, c)
	if row != nil && !p.over {
		measures(&f, row)
	}
	p.over = c.Over()
	if f.TimedOut {
		r.noteTimeout(c)
	}
	why := ""
	if f.Disconnected {
		x, ok := explain.Now(c, now)
		f.CutOff = cutOff(&f, &x, ok)
		why = r.noteEnd(c, &x, ok)
	}
	r.ask(&f, &p.lasting, func() string {
		return fmt.Sprintf("connection %d (%s %s, %s)%s: ", c.ID, c.Protocol.Name, c.A, c.B, why)
	})
}

// cutOff reports whether a connection that ended was cut off: as it is explained, or, where it
// is not, by its state.
func cutOff(f *trigger.Facts, x *explain.Connection, ok bool) bool {
	if ok {
		if yes, known := x.Verdict.CutOff(); known {
			return yes
		}
	}
	return f.Reset || f.TimedOut
}

// noteEnd puts how a connection ended on the packet that shows it best, and gives it in a few
// words for the reasons of a dump.
func (r *Recorder) noteEnd(c *session.Conn, x *explain.Connection, ok bool) string {
	if !ok || x.Verdict.Cause == explain.StillOpen {
		return ""
	}
	r.comment(x.Verdict.Frame, fmt.Sprintf("connection %d: %s", c.ID, x.Verdict.Sentence))
	return ", " + x.Brief()
}

// noteTimeout puts on packets what nothing answered, and after which nothing more came:
// findings about it come when nothing can be added any more.
func (r *Recorder) noteTimeout(c *session.Conn) {
	where := fmt.Sprintf("connection %d timed out: ", c.ID)
	if frame, text := c.Unanswered(); text != "" {
		r.comment(frame, where+text)
	}
	r.comment(c.LastFrame, where+"this is its latest packet")
}

// events are what happened on a connection since the last look.
func events(f *trigger.Facts, p *past, c *session.Conn) {
	if c.Over() && !p.over {
		state, _ := c.StateNow()
		f.Reset, f.TimedOut = state == session.Reset, state == session.TimedOut
		f.Disconnected = state >= session.Closed
	}
	for i, n := range c.Findings {
		f.Findings[i] = n - p.findings[i]
	}
	p.findings = c.Findings
	var invalid uint64
	for i := range c.Dir {
		invalid += c.Dir[i].Signatures.Invalid
	}
	f.BadSignature = invalid - p.invalid
	p.invalid = invalid
}

// measures are how a connection does now.
func measures(f *trigger.Facts, row *sampler.Row) {
	of := func(v sampler.Value) trigger.Measure { return trigger.Measure{Value: v.V, Known: v.Known} }
	f.Retries, f.Quality = of(row.RetryShare()), of(row.Quality())
	for i := range row.Dir {
		d := &row.Dir[i]
		if d.Loss.Known && trigger.LossCounts(d.LostLately, d.SentLately) {
			f.Loss = trigger.Measure{Value: max(f.Loss.Value, d.Loss.V), Known: true}
		}
	}
	f.Ping, f.Jitter, f.InFlight = of(row.Ping()), of(row.Jitter()), of(row.InFlight())
	f.Rate = trigger.Measure{Value: row.Dir[0].BytesPerSec + row.Dir[1].BytesPerSec, Known: true}
}

func (r *Recorder) fire(where string, reasons []string) {
	if len(reasons) == 0 {
		reasons = []string{r.opts.Trigger.String()}
	}
	if len(r.pending) < maxReasons {
		r.pending = append(r.pending, where+strings.Join(reasons, ", "))
	}
}

// dump writes what is kept. A dump that fails is told, and ends nothing.
func (r *Recorder) dump(now time.Time) {
	reasons := slices.Clone(r.pending)
	r.pending, r.last = r.pending[:0], now
	r.dumps++
	o := r.opts.File
	o.Path = dumpName(o.Path, r.dumps, now)
	o.Format, o.Compress, o.Ring, o.Stats = "pcapng", "", record.Ring{}, nil
	o.Start = time.Time{}
	o.Comment = escaped("kept by --on '" + r.opts.Trigger.String() + "': " + strings.Join(reasons, "; "))
	record.Retention{Files: r.opts.Retain}.MakeRoom(dumpNames(r.opts.File.Path), filepath.Dir(o.Path), 0)
	n, err := r.write(&o)
	if err != nil {
		r.opts.Tell("flight recorder: " + err.Error())
		return
	}
	if more := len(reasons) - toldReasons; more > 0 {
		reasons = append(reasons[:toldReasons], fmt.Sprintf("and %d more reasons", more))
	}
	r.opts.Tell(fmt.Sprintf("flight recorder: %d packets in %s: %s", n, o.Path, strings.Join(reasons, "; ")))
}

func (r *Recorder) write(o *record.Options) (int, error) {
	out, err := record.Create(*o)
	if err != nil {
		return 0, err
	}
	n, err := r.keep.Dump(out)
	if e := out.Close(); err == nil {
		err = e
	}
	return n, err
}

// escaped makes text of packets harmless for what shows a comment.
func escaped(s string) string { return string(render.AppendEscaped(nil, s)) }

// dumpName is "game_dump_00001_20261120193000.pcapng" for game.pcapng or
// game.pcap.gz: dumps are pcapng and not compressed, since they are to be opened at
// once.
func dumpName(path string, n int, at time.Time) string {
	return fmt.Sprintf("%s_%05d_%s.pcapng", dumpBase(path), n, at.Format("20060102150405"))
}

// dumpNames matches the names of dumps beside the capture of a path.
func dumpNames(path string) *regexp.Regexp { return record.Numbered(dumpBase(path), ".pcapng") }

// dumpBase is what the names of dumps begin with.
func dumpBase(path string) string {
	for _, s := range []string{".gz", ".zst", ".lz4"} {
		path = strings.TrimSuffix(path, s)
	}
	for _, s := range []string{".pcapng", ".ntar", ".pcap", ".cap", ".dmp"} {
		path = strings.TrimSuffix(path, s)
	}
	return path + "_dump"
}
