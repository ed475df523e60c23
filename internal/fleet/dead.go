package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// send writes a letter of the dead, once for each id within the chain.
func (q *Queue) send(ctx context.Context, l *Letter, id string) error {
	l.Time = time.Now().UTC()
	if l.Inputs == nil {
		l.Inputs = []Input{}
	}
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	m := &nats.Msg{Subject: q.deadSubject(l.Point, l.Chain), Data: b, Header: nats.Header{}}
	m.Header.Set(jetstream.MsgIDHeader, fmt.Sprintf("%s/%s/%s", token(l.Point), token(l.Chain), id))
	return q.again(ctx, noQuorum, func(ctx context.Context) error {
		_, err := q.js.PublishMsg(ctx, m)
		return err
	})
}

// Dead gives the letters that fit, in their order. An empty point or chain, or a step below 0, is any.
func (q *Queue) Dead(ctx context.Context, point, chain string, step int) (all []*Letter, err error) {
	filter := q.o.Prefix + ".dead.>"
	if point != "" && chain != "" {
		filter = q.deadSubject(point, chain)
	}
	err = q.each(ctx, q.dead, filter, func(sequence uint64, b []byte) {
		l := &Letter{sequence: sequence}
		if json.Unmarshal(b, l) != nil {
			l = &Letter{Point: "unknown", Chain: "unknown", Inputs: []Input{}, Reason: "the letter is none", Bytes: b, sequence: sequence}
		}
		if (point == "" || l.Point == point) && (chain == "" || l.Chain == chain) && (step < 0 || l.Step == step) {
			all = append(all, l)
		}
	})
	return all, err
}

// retryEnd queues the end of a chain again. What its rows are made of is still there.
func (q *Queue) retryEnd(ctx context.Context, l *Letter) error {
	_, err := q.change(ctx, l.Point, l.Chain, func(r *Record) bool {
		r.Over, r.EndDead = false, false
		r.begin()
		return true
	})
	if err != nil {
		return err
	}
	return q.queueEnd(ctx, l, "again")
}

// queueEnd queues the end of the chain that a letter tells of once more.
func (q *Queue) queueEnd(ctx context.Context, l *Letter, why string) error {
	s := &Step{Schema: stepSchema, Point: l.Point, Chain: l.Chain, Step: l.Step, Inputs: []Input{}, End: true, Submitted: time.Now().UTC()}
	return q.queue(ctx, s, fmt.Sprint(why, " ", l.sequence))
}

// ErrNotAgain says that a letter tells of nothing that could be tried again.
var ErrNotAgain = errors.New("there is nothing to try again: it has no inputs")

// Retry queues the step of a letter as a chain of its own, or the end of a chain again, and takes it
// off the list.
func (q *Queue) Retry(ctx context.Context, l *Letter) error {
	if l.End {
		if err := q.retryEnd(ctx, l); err != nil {
			return err
		}
		return q.strike(ctx, l)
	}
	if len(l.Inputs) == 0 {
		return ErrNotAgain
	}
	if _, _, err := q.Submit(ctx, l.Point, Own(l.Chain, l.Step), [][]Input{l.Inputs}, true); err != nil {
		return err
	}
	return q.strike(ctx, l)
}

// Drop takes a letter off the list, which nobody can retry then. Where it tells of the end of a chain, the chain's
// states are forgotten.
func (q *Queue) Drop(ctx context.Context, l *Letter) error {
	if l.End {
		if err := q.giveUpEnd(ctx, l); err != nil {
			return err
		}
	}
	return q.strike(ctx, l)
}

// giveUpEnd notes that the states of a chain wait for nobody, and queues its end: states are for workers alone, so the
// one that finds the end over forgets them.
func (q *Queue) giveUpEnd(ctx context.Context, l *Letter) error {
	over := false
	_, err := q.change(ctx, l.Point, l.Chain, func(r *Record) bool {
		over = r.Over // unless it is being retried
		dead := r.EndDead
		r.EndDead = false
		return over && dead
	})
	if err != nil || !over {
		return err
	}
	return q.queueEnd(ctx, l, "dropped")
}

// strike takes a letter off the list.
func (q *Queue) strike(ctx context.Context, l *Letter) error {
	return q.again(ctx, noQuorum, func(ctx context.Context) error {
		err := q.dead.DeleteMsg(ctx, l.sequence)
		if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) || errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		return err
	})
}
