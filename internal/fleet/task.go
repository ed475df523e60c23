package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dpdissect/dpdissect/internal/state"
)

// A task is one delivery of a step.
type task struct {
	w      *Worker
	m      jetstream.Msg
	hold   func(*Step)
	s      *Step
	from   Record // where the chain stands
	tries  int    // this delivery, and those before that were not handed back
	redone int    // deliveries before this one
	kept   string // the state that it left
	event  Event
}

// do does the step.
func (t *task) do(ctx context.Context) error {
	q := t.w.q
	s, err := q.parseStep(t.m.Subject(), t.m.Data())
	if err != nil {
		return t.foreign(ctx, err)
	}
	t.s = s
	t.hold(s)
	if err := t.stand(ctx); err != nil {
		return err
	}
	if t.over(&t.from) {
		return t.again(ctx)
	}
	meta, err := t.m.Metadata()
	if err != nil {
		return err
	}
	t.redone = int(meta.NumDelivered) - 1
	if t.tries = t.redone + 1 - t.from.Returned; t.tries > t.w.o.Tries {
		reason := fmt.Sprintf("it was tried %d times, and did not end", t.w.o.Tries)
		if t.from.Trouble != "" {
			reason = fmt.Sprintf("it was tried %d times: %s", t.w.o.Tries, t.from.Trouble)
		}
		return t.bury(ctx, reason, nil)
	}
	return t.begin(ctx)
}

// over reports whether the step is behind a record.
func (t *task) over(r *Record) bool {
	if t.s.End {
		return r.Over
	}
	return t.s.Step < r.next()
}

// again acknowledges a step that was done before.
func (t *task) again(ctx context.Context) error {
	t.event.Result = "repeated"
	if t.from.Over {
		if err := t.dropStates(ctx, &t.from); err != nil {
			return err
		}
	}
	return t.ack(ctx)
}

// ack acknowledges, and waits until the server knows. Where it does not answer, the step comes again and is
// found done.
func (t *task) ack(ctx context.Context) error {
	for range 3 {
		try, cancel := context.WithTimeout(ctx, 2*time.Second)
		err := t.m.DoubleAck(try)
		cancel()
		if err == nil || errors.Is(err, jetstream.ErrMsgAlreadyAckd) || ctx.Err() != nil {
			break
		}
	}
	return nil
}

// foreign puts a message that is no step to the dead.
func (t *task) foreign(ctx context.Context, reason error) error {
	point, chain, err := chainOf(t.m.Subject())
	if err != nil {
		point, chain = "unknown", "unknown"
	}
	meta, err := t.m.Metadata()
	if err != nil {
		return err
	}
	t.event.Result = "dead"
	l := &Letter{Point: point, Chain: chain, Inputs: []Input{}, Tries: int(meta.NumDelivered), Reason: "the message " + reason.Error(), Bytes: t.m.Data()}
	if err := t.w.q.send(ctx, l, fmt.Sprint("message ", meta.Sequence.Stream)); err != nil {
		return err
	}
	return t.ack(ctx)
}

// stand reads where the chain stands. A record that is none becomes a letter, and the chain begins again;
// steps that never came become letters, too.
func (t *task) stand(ctx context.Context) error {
	q, s := t.w.q, t.s
	for {
		r, revision, raw, err := q.record(ctx, s.Point, s.Chain)
		if errors.Is(err, errNoRecord) {
			l := &Letter{Point: s.Point, Chain: s.Chain, Step: s.Step, Inputs: []Input{}, Reason: "the chain's record " + err.Error(), Bytes: raw}
			if err := q.send(ctx, l, fmt.Sprint("record ", revision)); err != nil {
				return err
			}
			r, err = Record{Submitted: s.Step, Done: s.Step, Since: s.Step}, nil
			if !s.End {
				r.Submitted++
			}
			if _, err := q.put(ctx, s.Point, s.Chain, &r, revision); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if t.from = r; s.Step <= r.next() {
			return nil
		}
		if err := t.missing(ctx, r.next()); err != nil {
			return err
		}
		r.Dead, r.Submitted = s.Step-r.Done, max(r.Submitted, s.Step)
		r.begin()
		if _, err := q.put(ctx, s.Point, s.Chain, &r, revision); err != nil {
			return err
		}
	}
}

// missing writes letters for steps in front of this one that never came.
func (t *task) missing(ctx context.Context, from int) error {
	entries, err := t.w.q.entries(ctx, t.s.Point, t.s.Chain)
	if err != nil {
		return err
	}
	known := map[int]*Step{}
	for _, e := range entries {
		known[e.Step] = e
	}
	const most = 10_000 // a number that somebody made up makes no more
	for n := max(from, t.s.Step-most); n < t.s.Step; n++ {
		l := &Letter{Point: t.s.Point, Chain: t.s.Chain, Step: n, Inputs: []Input{}, Reason: "it never came: the queue lost it"}
		if e := known[n]; e != nil {
			l.Inputs = e.Inputs
		}
		if err := t.w.q.send(ctx, l, strconv.Itoa(n)); err != nil {
			return err
		}
	}
	return nil
}

// begin fetches what the step needs, and runs it.
func (t *task) begin(ctx context.Context) error {
	w, s := t.w, t.s
	dir, err := os.MkdirTemp("", "dpdissect-step-")
	if err != nil {
		return t.fault(ctx, err.Error())
	}
	defer os.RemoveAll(dir)
	old, fault, err := t.oldState(ctx)
	if err != nil {
		return err
	}
	if fault != "" {
		return t.fault(ctx, fault)
	}
	if s.End && old == nil {
		return t.finish(ctx, nil, Result{}) // no rows wait
	}
	paths, err := t.inputs(ctx, dir)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return t.giveBack(0, nil)
	case errors.As(err, new(gone)):
		return t.bury(ctx, err.Error(), new(codeInput))
	case errors.Is(err, fs.ErrPermission):
		return t.fault(ctx, err.Error())
	default: // the server of the input is away
		w.o.Tell("a step is handed back: " + err.Error())
		return t.giveBack(w.o.AckWait/6, nil)
	}
	args, out, err := t.args(dir, old, paths)
	if err != nil {
		return t.fault(ctx, err.Error())
	}
	run := w.run
	if w.o.run != nil {
		run = w.o.run
	}
	o, err := run(ctx, args)
	if err != nil {
		return t.fault(ctx, err.Error())
	}
	return t.judge(ctx, &o, out)
}

// oldState is the state that the step goes on from. One that this build can't read is left, and the chain
// begins again, unless that is a fault.
func (t *task) oldState(ctx context.Context) (b []byte, fault string, err error) {
	if t.from.State == "" {
		return nil, "", nil
	}
	if b, err = t.w.q.state(ctx, t.from.State); err != nil {
		return nil, "", err
	}
	why := "is lost"
	if b != nil {
		head, _, err := state.Open(b)
		switch {
		case err != nil:
			why = err.Error()
		case head.Layout != t.w.o.Layout:
			why = fmt.Sprintf("is of another build, of layout %016x", head.Layout)
			if t.w.o.Refuse {
				return nil, fmt.Sprintf("the state of %s at %s %s: take that build, or --old-state restart", t.s.Chain, t.s.Point, why), nil
			}
		default:
			return b, "", nil
		}
	}
	if t.redone > 0 { // a try with that state may have written rows
		if err := t.w.o.Forget(ctx, t.s.Point, t.rowsChain(), t.s.Step); err != nil {
			return nil, err.Error(), nil
		}
	}
	t.event.Restarted = true
	t.w.o.Tell(fmt.Sprintf("%s at %s begins again at step %d: its state %s", t.s.Chain, t.s.Point, t.s.Step, why))
	return nil, "", nil
}

// inputs gives the paths of what is to be read. The end of a chain is a capture of no packets.
func (t *task) inputs(ctx context.Context, dir string) ([]string, error) {
	if !t.s.End {
		return t.w.fetch(ctx, dir, t.s.Inputs)
	}
	path := filepath.Join(dir, "end.pcap")
	return []string{path}, os.WriteFile(path, emptyCapture, 0o600)
}

// emptyCapture is a pcap file of Ethernet without packets.
var emptyCapture = []byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0}

// args are the command of the step, and the file of the state that it leaves.
func (t *task) args(dir string, old []byte, paths []string) (args []string, out string, err error) {
	s, r := t.s, &t.from
	chain, gap := s.Chain, s.Step > 0 && stateStep(r.State) != s.Step-1
	if since := t.since(); since > 0 {
		chain = Own(s.Chain, since)
	}
	args = append(args, t.w.o.Args...)
	args = append(args, "--point="+s.Point, "--chain="+chain, "--step="+strconv.Itoa(s.Step))
	if old != nil {
		path := filepath.Join(dir, "old")
		if err := os.WriteFile(path, old, 0o600); err != nil {
			return nil, "", err
		}
		args = append(args, "--state-in="+path)
	}
	if !s.End {
		out = filepath.Join(dir, "new")
		args = append(args, "--state-out="+out)
	}
	if gap || t.event.Restarted {
		args = append(args, "--after-gap")
	}
	return append(append(args, "--"), paths...), out, nil
}

// since is the step at which the chain begins again: its frames are numbered from 1 again, so its
// rows belong to a chain of its own.
func (t *task) since() int {
	if t.event.Restarted {
		return t.s.Step
	}
	return t.from.Since
}

// judge decides what becomes of a step whose command ended.
func (t *task) judge(ctx context.Context, o *outcome, out string) error {
	var left []byte
	if o.code == 0 || o.code == codeInput || o.code == codeInternal {
		if left, _ = os.ReadFile(out); left == nil && !t.s.End {
			return t.bury(ctx, o.text, &o.code)
		}
		return t.finish(ctx, left, Result{Packets: o.report.Packets, LastTime: o.report.LastTime, Problem: o.text})
	}
	switch {
	case o.stopped:
		return t.giveBack(0, nil)
	case o.late:
		return t.retry(ctx, fmt.Sprintf("it took longer than %v", t.w.o.StepTime))
	case o.code == codeUsage:
		return t.fault(ctx, o.text)
	}
	return t.retry(ctx, "it was killed or crashed: "+o.text)
}

// finish takes what a step found: state, record, acknowledgement.
func (t *task) finish(ctx context.Context, left []byte, res Result) (err error) {
	q, s := t.w.q, t.s
	name := ""
	if left != nil {
		if name, err = q.keep(ctx, s, left); err != nil {
			return err
		}
	}
	t.kept, t.event.StateBytes = name, len(left)
	res.Status, res.StateBytes = "done", len(left)
	if err := t.tellResult(ctx, &res); err != nil {
		return err
	}
	if !s.End {
		if err := q.drop(ctx, t.from.Before); err != nil { // before the record, so none is forgotten
			return err
		}
	}
	return t.settle(ctx, "done", func(r *Record) {
		r.Redelivered += t.redone
		if t.event.Restarted {
			r.Restarted++
		}
		r.Since = t.since()
		if s.End {
			r.Over = true
			return
		}
		if r.Done++; res.LastTime != nil {
			r.LastTime = res.LastTime
		}
		r.Before, r.State = r.State, name
		if t.event.Restarted || r.Before == name {
			r.Before = ""
		}
	})
}

// settle writes what became of the step into the record, unless somebody else did so before, and
// acknowledges it.
func (t *task) settle(ctx context.Context, result string, do func(*Record)) error {
	q, s := t.w.q, t.s
	changed, err := q.change(ctx, s.Point, s.Chain, func(r *Record) bool {
		if t.over(r) || r.next() != t.from.next() || r.State != t.from.State {
			return false
		}
		do(r)
		r.begin()
		if !s.End {
			r.Submitted = max(r.Submitted, s.Step+1)
		}
		return true
	})
	if err != nil {
		return err
	}
	if t.event.Result = result; !changed {
		t.event = Event{Result: "repeated"}
		if err := t.dropLate(ctx); err != nil {
			return err
		}
	}
	if changed && s.End && result == "done" { // of one that is dead it may be retried
		if err := t.dropStates(ctx, &t.from); err != nil {
			return err
		}
	}
	if changed && t.event.Restarted {
		if err := q.drop(ctx, t.from.State); err != nil {
			return err
		}
	}
	return t.ack(ctx)
}

// dropLate forgets the state that this step left, where the chain went on long ago without it.
func (t *task) dropLate(ctx context.Context) error {
	r, _, _, err := t.w.q.record(ctx, t.s.Point, t.s.Chain)
	if err != nil || t.kept == r.State || t.kept == r.Before {
		return err
	}
	return t.w.q.drop(ctx, t.kept)
}

// dropStates forgets the states of a chain that is over.
func (t *task) dropStates(ctx context.Context, r *Record) error {
	for _, name := range []string{r.State, r.Before} {
		if err := t.w.q.drop(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// bury puts the step to the dead. Its chain goes on after a gap.
func (t *task) bury(ctx context.Context, reason string, code *int) error {
	s := t.s
	if t.redone > 0 { // a try before may have written rows
		if err := t.w.o.Forget(ctx, s.Point, t.rowsChain(), s.Step); err != nil {
			return t.fault(ctx, err.Error())
		}
	}
	l := &Letter{Point: s.Point, Chain: s.Chain, Step: s.Step, Inputs: s.Inputs, End: s.End, Tries: max(t.tries, 1), ExitCode: code, Reason: reason}
	if code == nil { // this delivery was not begun
		l.Tries = t.w.o.Tries
	}
	if err := t.w.q.send(ctx, l, strconv.Itoa(s.Step)); err != nil {
		return err
	}
	if err := t.tellResult(ctx, &Result{Status: "dead", Reason: reason}); err != nil {
		return err
	}
	t.event.Restarted = false
	return t.settle(ctx, "dead", func(r *Record) {
		r.Redelivered += t.redone
		if s.End {
			r.Over = true
		} else {
			r.Dead++
		}
	})
}

// rowsChain is the chain that the step's rows have.
func (t *task) rowsChain() string {
	if n := t.since(); n > 0 {
		return Own(t.s.Chain, n)
	}
	return t.s.Chain
}

// tellResult writes what became of the step into the stream of steps.
func (t *task) tellResult(ctx context.Context, r *Result) error {
	q, s := t.w.q, *t.s
	r.Worker, r.Build, r.Tries = t.w.o.Name, t.w.o.Build, t.tries
	s.Result = r
	b, err := json.Marshal(&s)
	if err != nil {
		return err
	}
	return q.again(ctx, noQuorum, func(ctx context.Context) error {
		_, err := q.js.PublishMsg(ctx, &nats.Msg{Subject: q.stepSubject(s.Point, s.Chain, s.Step), Data: b})
		return err
	})
}

// retry lets the step be tried again, and notes why.
func (t *task) retry(ctx context.Context, why string) error {
	if err := t.note(ctx, func(r *Record) { r.Trouble = why }); err != nil {
		return err
	}
	t.event.Result = "handed_back"
	t.m.NakWithDelay(time.Duration(t.tries) * t.w.o.AckWait / 30)
	return nil
}

// fault hands the step back, and ends the worker.
func (t *task) fault(ctx context.Context, why string) error {
	if ctx.Err() != nil {
		return t.giveBack(0, nil)
	}
	return t.giveBack(t.w.o.AckWait/6, &Fault{why})
}

// giveBack hands the step back as if it had not been taken.
func (t *task) giveBack(delay time.Duration, because error) error {
	ctx, cancel := context.WithTimeout(context.Background(), tryTime)
	defer cancel()
	t.event.Result = "handed_back"
	if err := t.note(ctx, func(r *Record) { r.Returned++ }); err != nil {
		t.w.o.Tell("the step can't be handed back, it comes again: " + err.Error())
		return because
	}
	t.m.NakWithDelay(delay)
	return because
}

// note writes something about the step into the record.
func (t *task) note(ctx context.Context, do func(*Record)) error {
	_, err := t.w.q.change(ctx, t.s.Point, t.s.Chain, func(r *Record) bool {
		if t.over(r) || r.next() != t.from.next() {
			return false
		}
		do(r)
		return true
	})
	return err
}
