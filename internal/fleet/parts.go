package fleet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// parts are the partitions as one program sees them, for all workers in it.
type parts struct {
	q       *Queue
	ackWait time.Duration
	wake    chan struct{} // something was queued
	sub     *nats.Subscription

	mu     sync.Mutex
	list   []part
	seen   time.Time // when the server was asked last
	asking bool
	next   int // where the next search begins
}

// A part is a partition.
type part struct {
	c     jetstream.Consumer
	taken bool      // by a worker of this program
	wait  uint64    // how many steps wait
	held  bool      // a worker holds one, or held it when it died
	tried time.Time // when one that is held was asked for last
}

const (
	fresh    = 50 * time.Millisecond  // for how long what the server said of partitions counts
	idleMax  = 2 * time.Second        // how long a worker sleeps that found nothing
	known    = 500 * time.Millisecond // and for how long where it names a partition that has steps
	askFor   = 100 * time.Millisecond // how long a step that should wait may take to come
	askStale = 30 * time.Millisecond  // and one that another worker seems to hold
)

func consumerName(i int) string { return fmt.Sprintf("p%04d", i) }

// openParts makes the consumers that are missing: one a partition, which gives out one step at a time.
func (q *Queue) openParts(ctx context.Context, ackWait time.Duration) (*parts, error) {
	p := &parts{q: q, ackWait: ackWait, wake: make(chan struct{}, 1), list: make([]part, q.partitions), next: rand.IntN(q.partitions)}
	had := map[string]*jetstream.ConsumerInfo{}
	err := q.again(ctx, noQuorum, func(ctx context.Context) error {
		infos := q.work.ListConsumers(ctx)
		for i := range infos.Info() {
			had[i.Name] = i
		}
		return infos.Err()
	})
	for i := range p.list {
		if err != nil {
			return nil, err
		}
		err = q.again(ctx, noQuorum, func(ctx context.Context) (err error) {
			name := consumerName(i)
			if h := had[name]; h != nil && h.Config.AckWait == ackWait {
				p.list[i].c, err = q.work.Consumer(ctx, name)
				return err
			}
			p.list[i].c, err = q.work.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: name, FilterSubject: fmt.Sprintf("%s.work.%d.>", q.o.Prefix, i),
				AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: 1, MaxDeliver: -1, MaxWaiting: 512})
			return err
		})
		p.list[i].tried = time.Now().Add(-time.Duration(rand.Int64N(int64(ackWait/3) + 1)))
	}
	if err != nil {
		return nil, err
	}
	p.sub, err = q.conn.Subscribe(q.o.Prefix+".work.>", func(*nats.Msg) { p.rouse() })
	return p, err
}

func (p *parts) close() { p.sub.Unsubscribe() }

// rouse wakes a worker.
func (p *parts) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// release lets others take steps of a partition, of which this program has acknowledged one.
func (p *parts) release(i int) {
	p.mu.Lock()
	p.list[i].taken, p.list[i].held = false, false
	p.mu.Unlock()
	p.rouse()
}

// take waits for a step, and asks for none before ready returns. With drain it gives none once nothing is left.
func (p *parts) take(ctx context.Context, drain bool, ready func(context.Context)) (m jetstream.Msg, part int, err error) {
	for idle := fresh; ctx.Err() == nil; {
		ready(ctx)
		i, how, ok := p.choose(known)
		left := uint64(1)
		if !ok {
			if left, err = p.ask(ctx); err != nil {
				return nil, 0, err
			}
			i, how, ok = p.choose(idleMax)
		}
		if ok {
			m := p.fetch(ctx, i, how)
			if p.fetched(i, m != nil); m != nil {
				return m, i, nil
			}
			continue
		}
		if drain && left == 0 {
			return nil, 0, nil
		}
		if left > 0 {
			idle = min(idle, 4*fresh)
		}
		select {
		case <-ctx.Done():
		case <-p.wake:
			idle = fresh
		case <-time.After(idle + time.Duration(rand.Int64N(int64(idle)))):
			idle = min(2*idle, idleMax, p.ackWait/3)
		}
	}
	return nil, 0, ctx.Err()
}

// ask asks the server about all partitions, unless it was asked just before. left is how many steps and
// ends wait or are held.
func (p *parts) ask(ctx context.Context) (left uint64, err error) {
	p.mu.Lock()
	for i := range p.list {
		if left += p.list[i].wait; p.list[i].held {
			left++
		}
	}
	if p.asking || time.Since(p.seen) < fresh {
		p.mu.Unlock()
		return max(left, 1), nil
	}
	p.asking = true
	p.mu.Unlock()
	infos, err := p.q.consumers(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asking, p.seen, left = false, time.Now(), 0
	for i := range p.list {
		if info := infos[consumerName(i)]; info != nil {
			p.list[i].wait, p.list[i].held = info.NumPending, info.NumAckPending > 0
			left += info.NumPending + uint64(info.NumAckPending)
		}
	}
	if len(infos) < len(p.list) {
		left++ // of some nothing is known
	}
	return left, err
}

// consumers asks the server about all partitions.
func (q *Queue) consumers(ctx context.Context) (map[string]*jetstream.ConsumerInfo, error) {
	all := map[string]*jetstream.ConsumerInfo{}
	err := q.again(ctx, noQuorum, func(ctx context.Context) error {
		infos := q.work.ListConsumers(ctx)
		for i := range infos.Info() {
			all[i.Name] = i
		}
		return infos.Err()
	})
	return all, err
}

// choose takes a partition that should have a step, by what the server said not longer ago than old: one that
// waits, or one that is held, for its worker may have died. how is for how long to ask.
func (p *parts) choose(old time.Duration) (i int, how time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.seen) > old {
		return 0, 0, false
	}
	for n := range p.list {
		i := (p.next + n) % len(p.list)
		x := &p.list[i]
		switch {
		case x.taken:
			continue
		case x.held:
			if time.Since(x.tried) < p.ackWait/3 {
				continue
			}
			x.tried, how = time.Now(), askStale
		case x.wait > 0:
			how = askFor
		default:
			continue
		}
		x.taken, p.next = true, i+1
		return i, how, true
	}
	return 0, 0, false
}

// fetched notes whether a partition had a step. Where it should have had one another program holds it, until the
// server says something else.
func (p *parts) fetched(i int, got bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := &p.list[i]
	if x.taken, x.held = got, true; got && x.wait > 0 {
		x.wait--
	}
}

// fetch asks for a step of a partition. Whatever is wrong, it is asked again later.
func (p *parts) fetch(ctx context.Context, i int, how time.Duration) (m jetstream.Msg) {
	batch, err := p.list[i].c.Fetch(1, jetstream.FetchMaxWait(how))
	if err != nil {
		pause(ctx, fresh)
		return nil
	}
	for m = range batch.Messages() {
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
		pause(ctx, fresh)
	}
	return m
}
