package fleet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrEnded says that a chain takes no more.
var ErrEnded = errors.New("the chain has ended: take another name")

// Submit queues steps of a chain, one for each list of inputs, and with end its end. Inputs that were
// submitted already are left out; done is how many steps were queued, known how many inputs were left out.
//
// The stream of steps says who has which number: to write there is to take it. Whoever comes next
// sees numbers that are taken, and queues their steps first, should their owner have died in between; to
// queue one twice does no harm.
func (q *Queue) Submit(ctx context.Context, point, chain string, lists [][]Input, end bool) (done, known int, err error) {
	for {
		entries, err := q.entries(ctx, point, chain)
		if err != nil {
			return done, known, err
		}
		steps, old := left(entries, lists)
		known = max(known, old)
		next, ended, err := q.requeue(ctx, point, chain, entries)
		if err == nil && ended && len(steps) > 0 {
			err = ErrEnded
		}
		if err != nil {
			return done, known, err
		}
		n, again, err := q.submit(ctx, point, chain, next, steps, end && !ended)
		if done += n; err != nil || !again {
			return done, known, err
		}
	}
}

// left is what was not submitted yet, and how many inputs were.
func left(entries []*Step, lists [][]Input) (steps [][]Input, known int) {
	had := map[string]bool{}
	for _, e := range entries {
		for i := range e.Inputs {
			had[e.Inputs[i].key()] = true
		}
	}
	for _, list := range lists {
		var fresh []Input
		for _, in := range list {
			if had[in.key()] {
				known++
				continue
			}
			had[in.key()] = true
			fresh = append(fresh, in)
		}
		if len(fresh) > 0 {
			steps = append(steps, fresh)
		}
	}
	return steps, known
}

// requeue queues the steps whose numbers are taken, and of which the record does not know, and gives
// the next number. The record knows longer than the stream that the chain has ended.
func (q *Queue) requeue(ctx context.Context, point, chain string, entries []*Step) (next int, ended bool, err error) {
	r, _, _, err := q.record(ctx, point, chain)
	if err != nil && !errors.Is(err, errNoRecord) {
		return 0, false, err
	}
	ended = r.Ended
	next = max(r.Submitted, r.next())
	for _, e := range entries {
		if e.Step >= r.Submitted && e.Result == nil {
			if err := q.queue(ctx, e, strconv.Itoa(e.Step)); err != nil {
				return 0, false, err
			}
		}
		if e.End {
			ended = true
		} else {
			next = max(next, e.Step+1)
		}
	}
	return next, ended, q.tellSubmitted(ctx, point, chain, next, ended)
}

// tellSubmitted writes into the record how many steps there are, and whether the chain has its end.
func (q *Queue) tellSubmitted(ctx context.Context, point, chain string, steps int, end bool) error {
	_, err := q.change(ctx, point, chain, func(r *Record) bool {
		if r.Submitted >= steps && (r.Ended || !end) {
			return false
		}
		r.Submitted, r.Ended = max(r.Submitted, steps), r.Ended || end
		return true
	})
	return err
}

// submit takes the next numbers and queues steps. again says that somebody else took a number first.
func (q *Queue) submit(ctx context.Context, point, chain string, next int, steps [][]Input, end bool) (done int, again bool, err error) {
	defer func() { // also of those that were queued before something failed
		err = cmp.Or(err, q.tellSubmitted(context.WithoutCancel(ctx), point, chain, next, end && err == nil && !again))
	}()
	if end {
		steps = append(slices.Clone(steps), nil)
	}
	for _, list := range steps {
		if next >= maxSteps {
			return done, false, errors.New("a chain has at most 99,999,999 steps")
		}
		s := &Step{Schema: stepSchema, Point: point, Chain: chain, Step: next, Inputs: list, End: list == nil, Submitted: time.Now().UTC()}
		ok, err := q.take(ctx, s)
		if err != nil || !ok {
			return done, !ok, err
		}
		if err := q.queue(ctx, s, strconv.Itoa(s.Step)); err != nil {
			return done, false, err
		}
		if !s.End {
			done++
			next++
		}
	}
	return done, false, nil
}

// take writes a step into the stream of steps unless there is one of its number.
func (q *Queue) take(ctx context.Context, s *Step) (ok bool, err error) {
	b, err := json.Marshal(s)
	if err != nil {
		return false, err
	}
	subject := q.stepSubject(s.Point, s.Chain, s.Step)
	err = q.again(ctx, noQuorum, func(ctx context.Context) error {
		_, err := q.js.Publish(ctx, subject, b, jetstream.WithExpectLastSequencePerSubject(0))
		if ok = err == nil; !isConflict(err) {
			return err
		}
		m, err := q.steps.GetLastMsgForSubject(ctx, subject) // perhaps it was this call
		ok = err == nil && bytes.Equal(m.Data, b)
		return err
	})
	return ok, err
}

// queue puts a step into the queue, once for each id within its chain.
func (q *Queue) queue(ctx context.Context, s *Step, id string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	m := &nats.Msg{Subject: q.workSubject(s.Point, s.Chain), Data: b, Header: nats.Header{}}
	m.Header.Set(jetstream.MsgIDHeader, fmt.Sprintf("%s/%s/%s", token(s.Point), token(s.Chain), id))
	return q.again(ctx, noQuorum, func(ctx context.Context) error {
		_, err := q.js.PublishMsg(ctx, m)
		return err
	})
}

// entries are the steps of a chain in the stream of steps, by number.
func (q *Queue) entries(ctx context.Context, point, chain string) (all []*Step, err error) {
	filter := q.o.Prefix + ".steps." + ofChain(point, chain) + ".*"
	err = q.each(ctx, q.steps, filter, func(_ uint64, b []byte) {
		s := new(Step)
		if json.Unmarshal(b, s) == nil && s.Point == point && s.Chain == chain {
			all = append(all, s)
		}
	})
	slices.SortFunc(all, func(a, b *Step) int { return cmp.Compare(a.Step, b.Step) })
	return all, err
}

// each gives all messages of a stream below a subject.
func (q *Queue) each(ctx context.Context, st jetstream.Stream, filter string, take func(sequence uint64, b []byte)) error {
	for from := uint64(1); ; {
		var m *jetstream.RawStreamMsg
		err := q.again(ctx, noQuorum, func(ctx context.Context) (err error) {
			m, err = st.GetMsg(ctx, from, jetstream.WithGetMsgSubject(filter))
			return err
		})
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		take(m.Sequence, m.Data)
		from = m.Sequence + 1
	}
}
