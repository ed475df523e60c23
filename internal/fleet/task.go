package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
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
	number int    // of this attempt at the step, in the record
	place  string // that its rows come from
	kept   string // the state that it left
	event  Event

	sequence uint64 // of its message
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
	t.redone, t.sequence = int(meta.NumDelivered)-1, meta.Sequence.Stream
	leave, err := t.enter(ctx)
	if err != nil || leave == nil {
		return err
	}
	defer leave()
	if t.tries = t.redone + 1 - t.from.Returned; t.tries > t.w.o.Tries {
		reason := fmt.Sprintf("it was tried %d times, and did not end", t.w.o.Tries)
		if t.from.Trouble != "" {
			reason = fmt.Sprintf("it was tried %d times: %s", t.w.o.Tries, t.from.Trouble)
		}
		return t.bury(ctx, reason, nil)
	}
	return t.begin(ctx)
}

// over reports whether the step is after a record.
func (t *task) over(r *Record) bool {
	if t.s.End {
		return r.Over
	}
	return t.s.Step < r.next()
}

// enter makes this attempt the only one that writes rows: the number in the record is its own before the places of
// others are taken away, and who finds another number there after it has its place was late. leave is nil then.
func (t *task) enter(ctx context.Context) (leave func(), err error) {
	w, s := t.w, t.s
	if t.redone > 0 || t.from.Attempt > 0 {
		changed, err := t.note(ctx, func(r *Record) {
			r.Attempt++
			t.number = r.Attempt
		})
		if err != nil || !changed {
			return nil, cmp.Or(err, t.late(ctx))
		}
	}
	if t.place, leave, err = w.o.Fence(ctx, s.Point, s.Chain, s.Step, t.number); err != nil {
		return nil, t.fault(ctx, err.Error())
	}
	if is, err := t.isLate(ctx); err != nil || is {
		leave()
		return nil, cmp.Or(err, t.late(ctx))
	}
	return leave, nil
}

// isLate reports whether another attempt was begun after this one, or the step is over.
func (t *task) isLate(ctx context.Context) (bool, error) {
	r, _, _, err := t.w.q.record(ctx, t.s.Point, t.s.Chain)
	if errors.Is(err, errNoRecord) {
		return true, nil
	}
	return t.over(&r) || r.Attempt != t.number, err
}

// late leaves the step to who has it now. It is acknowledged where it is over alone: while another worker does
// it, the next one must not be given out.
func (t *task) late(ctx context.Context) error {
	t.event = Event{Result: "repeated"}
	r, _, _, err := t.w.q.record(ctx, t.s.Point, t.s.Chain)
	if err != nil && !errors.Is(err, errNoRecord) {
		return err
	}
	if err == nil && t.over(&r) {
		return t.ack(ctx)
	}
	return nil
}

// again acknowledges a step that was done before.
func (t *task) again(ctx context.Context) error {
	t.event.Result = "repeated"
	if t.from.forgettable() {
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
