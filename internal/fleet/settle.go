package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

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
		if t.over(r) || r.next() != t.from.next() || r.State != t.from.State || r.Attempt != t.number {
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
		return cmp.Or(t.dropLate(ctx), t.late(ctx))
	}
	if s.End && result == "done" { // of one that is dead it may be retried
		if err := t.dropStates(ctx, &t.from); err != nil {
			return err
		}
	}
	if t.event.Restarted {
		if err := q.drop(ctx, t.from.State); err != nil {
			return err
		}
	}
	return t.ack(ctx)
}

// dropLate forgets the state that this step left, where the chain went on long ago without it.
func (t *task) dropLate(ctx context.Context) error {
	r, _, _, err := t.w.q.record(ctx, t.s.Point, t.s.Chain)
	if err != nil || !t.over(&r) || t.kept == r.State || t.kept == r.Before {
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
	id := fmt.Sprint(s.Step, " ", t.sequence) // an end that is retried may be dead again
	if err := t.w.q.send(ctx, l, id); err != nil {
		return err
	}
	if err := t.tellResult(ctx, &Result{Status: "dead", Reason: reason}); err != nil {
		return err
	}
	t.event.Restarted = false
	return t.settle(ctx, "dead", func(r *Record) {
		r.Redelivered += t.redone
		if s.End {
			r.Over, r.EndDead = true, true
		} else {
			r.Dead++
		}
	})
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
	if _, err := t.note(ctx, func(r *Record) { r.Trouble = why }); err != nil {
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
	if _, err := t.note(ctx, func(r *Record) { r.Returned++ }); err != nil {
		t.w.o.Tell("the step can't be handed back, it comes again: " + err.Error())
		return because
	}
	t.m.NakWithDelay(delay)
	return because
}

// note writes something about the step into the record, unless it is over.
func (t *task) note(ctx context.Context, do func(*Record)) (noted bool, err error) {
	return t.w.q.change(ctx, t.s.Point, t.s.Chain, func(r *Record) bool {
		if t.over(r) || r.next() != t.from.next() {
			return false
		}
		do(r)
		return true
	})
}
