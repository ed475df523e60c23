package fleet

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// StatusSchema is that of Status.
const StatusSchema = "dpdissect/fleet-status/1"

//go:embed status.schema.json
var statusSchema []byte

//go:embed dead.schema.json
var deadSchema []byte

// Schemas are the JSON Schemas (2020-12) of what commands print, by the names of these.
var Schemas = map[string][]byte{"status": statusSchema, "dead": deadSchema}

// A Status says where everything stands.
type Status struct {
	Schema        string       `json:"schema"`
	Queued        int          `json:"queued"`         // steps that wait
	Working       int          `json:"working"`        // steps and ends that a worker holds
	Done          int          `json:"done"`           // steps
	Dead          int          `json:"dead"`           // letters
	Chains        int          `json:"chains"`         // that are known
	ChainsWaiting int          `json:"chains_waiting"` // with a step or their end still to do
	Redelivered   int          `json:"redelivered"`    // how often a step that ended was given out again
	Restarted     int          `json:"restarted"`      // how often a chain began again, for its state could not be read
	LagMS         *int64       `json:"lag_ms,omitempty"`
	Workers       []WorkerInfo `json:"workers"`
	DeadLetters   []LetterInfo `json:"dead_letters"`
	Open          []OpenChain  `json:"open,omitempty"`
}

// WorkerInfo is a worker that answers, and what it does.
type WorkerInfo struct {
	Name  string     `json:"name"`
	Build string     `json:"build"`
	Point string     `json:"point,omitempty"`
	Chain string     `json:"chain,omitempty"`
	Step  *int       `json:"step,omitempty"`
	Since *time.Time `json:"since,omitempty"`
}

// LetterInfo is a letter as it is shown.
type LetterInfo struct {
	Point    string    `json:"point"`
	Chain    string    `json:"chain"`
	Step     int       `json:"step"`
	Inputs   []string  `json:"inputs"`
	Tries    int       `json:"tries"`
	ExitCode *int      `json:"exit_code,omitempty"`
	Reason   string    `json:"reason"`
	Time     time.Time `json:"time"`
}

// OpenChain is a chain that has no end yet, or of which something is still to be done.
type OpenChain struct {
	Point     string     `json:"point"`
	Chain     string     `json:"chain"`
	Submitted int        `json:"submitted"`
	Done      int        `json:"done"`
	LastTime  *time.Time `json:"last_time"`
}

// Info is a letter as it is shown.
func (l *Letter) Info() LetterInfo {
	i := LetterInfo{l.Point, l.Chain, l.Step, []string{}, l.Tries, l.ExitCode, l.Reason, l.Time}
	for _, in := range l.Inputs {
		i.Inputs = append(i.Inputs, in.Path)
	}
	return i
}

// Status asks where everything stands.
func (q *Queue) Status(ctx context.Context) (*Status, error) {
	s := &Status{Schema: StatusSchema, Workers: []WorkerInfo{}, DeadLetters: []LetterInfo{}}
	ends, err := q.sumChains(ctx, s)
	if err == nil {
		err = q.sumQueue(ctx, s, ends)
	}
	if err != nil {
		return nil, err
	}
	letters, err := q.Dead(ctx, "", "", -1)
	if err != nil {
		return nil, err
	}
	for _, l := range letters {
		s.DeadLetters = append(s.DeadLetters, l.Info())
	}
	s.Dead = len(letters)
	s.Workers, err = q.askWorkers()
	return s, err
}

// sumChains adds up the records of chains. ends is how many ends are still to be done.
func (q *Queue) sumChains(ctx context.Context, s *Status) (ends int, err error) {
	var all []jetstream.KeyValueEntry
	err = q.again(ctx, noQuorum, func(ctx context.Context) error {
		all = nil
		watch, err := q.chains.WatchAll(ctx, jetstream.IgnoreDeletes())
		if err != nil {
			return err
		}
		defer watch.Stop()
		for {
			select {
			case e := <-watch.Updates():
				if e == nil {
					return nil
				}
				all = append(all, e)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	for _, e := range all {
		point, chain, err := chainOf(e.Key())
		if err != nil {
			continue
		}
		r, err := parseRecord(point, chain, e.Value())
		if err != nil {
			continue
		}
		s.Chains++
		s.Done, s.Redelivered, s.Restarted = s.Done+r.Done, s.Redelivered+r.Redelivered, s.Restarted+r.Restarted
		if r.waits() {
			s.ChainsWaiting++
		}
		if r.Ended && !r.Over {
			ends++
		}
		if !r.Over {
			s.Open = append(s.Open, OpenChain{point, chain, r.Submitted, r.Done, r.LastTime})
		}
	}
	slices.SortFunc(s.Open, func(a, b OpenChain) int { return cmp.Or(cmp.Compare(a.Point, b.Point), cmp.Compare(a.Chain, b.Chain)) })
	return ends, err
}

// sumQueue adds up the partitions.
func (q *Queue) sumQueue(ctx context.Context, s *Status, ends int) error {
	parts, err := q.consumers(ctx)
	if err == nil && len(parts) < q.partitions {
		err = q.addUnseen(ctx, parts)
	}
	if err != nil {
		return err
	}
	waiting, held := 0, 0
	var oldest time.Time
	for _, p := range parts {
		waiting += int(p.NumPending)
		if s.Working += p.NumAckPending; p.NumAckPending > 0 {
			step, _, err := q.stepAt(ctx, p, p.Delivered.Stream)
			if err != nil {
				return err
			}
			if step != nil && step.End {
				held++
			}
		}
		for from := p.Delivered.Stream + 1; p.NumPending > 0; { // the first that is no end
			step, m, err := q.stepAt(ctx, p, from)
			if err != nil {
				return err
			}
			if m == nil {
				break
			}
			if from = m.Sequence + 1; step == nil || !step.End {
				if oldest.IsZero() || m.Time.Before(oldest) {
					oldest = m.Time
				}
				break
			}
		}
	}
	s.Queued = max(0, waiting-max(0, ends-held))
	if oldest.IsZero() {
		return nil
	}
	info, err := q.work.Info(ctx)
	if err != nil {
		return err
	}
	lag := max(0, info.TimeStamp.Sub(oldest).Milliseconds()) // by the server's clock alone
	s.LagMS = &lag
	return nil
}

// addUnseen adds partitions that no worker has asked for yet.
func (q *Queue) addUnseen(ctx context.Context, parts map[string]*jetstream.ConsumerInfo) error {
	begin := q.o.Prefix + ".work."
	info, err := q.work.Info(ctx, jetstream.WithSubjectFilter(begin+">"))
	if err != nil {
		return err
	}
	unseen := map[string]*jetstream.ConsumerInfo{}
	for i := range q.partitions {
		if parts[consumerName(i)] == nil {
			p := &jetstream.ConsumerInfo{Config: jetstream.ConsumerConfig{FilterSubject: fmt.Sprint(begin, i, ".>")}}
			parts[consumerName(i)], unseen[strconv.Itoa(i)] = p, p
		}
	}
	for subject, n := range info.State.Subjects {
		number, _, _ := strings.Cut(strings.TrimPrefix(subject, begin), ".")
		if p := unseen[number]; p != nil {
			p.NumPending += n
		}
	}
	return nil
}

// stepAt gives the first message of a partition from a sequence on, and the step in it.
func (q *Queue) stepAt(ctx context.Context, p *jetstream.ConsumerInfo, from uint64) (s *Step, m *jetstream.RawStreamMsg, err error) {
	err = q.again(ctx, noQuorum, func(ctx context.Context) (err error) {
		m, err = q.work.GetMsg(ctx, from, jetstream.WithGetMsgSubject(p.Config.FilterSubject))
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	s, _ = q.parseStep(m.Subject, m.Data)
	return s, m, nil
}

// askWorkers asks all workers what they do. Those that are paused or cut off do not answer.
func (q *Queue) askWorkers() (all []WorkerInfo, err error) {
	all = []WorkerInfo{}
	inbox := q.conn.NewInbox()
	sub, err := q.conn.SubscribeSync(inbox)
	if err != nil {
		return all, err
	}
	defer sub.Unsubscribe()
	if err := q.conn.PublishRequest(q.o.Prefix+".workers", inbox, nil); err != nil {
		return all, err
	}
	const quiet, most = 250 * time.Millisecond, 10_000
	for len(all) < most {
		m, err := sub.NextMsg(quiet)
		if err != nil || len(m.Data) == 0 { // nobody is there
			break
		}
		var infos []WorkerInfo
		if json.Unmarshal(m.Data, &infos) == nil {
			all = append(all, infos...)
		}
	}
	slices.SortFunc(all, func(a, b WorkerInfo) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// answer lets the workers of this program answer askWorkers.
func (w *Worker) answer() (stop func(), err error) {
	sub, err := w.q.conn.Subscribe(w.q.o.Prefix+".workers", func(m *nats.Msg) {
		var infos []WorkerInfo
		w.mu.Lock()
		for _, h := range w.now {
			i := WorkerInfo{Name: w.o.Name, Build: w.o.Build}
			if h != nil {
				i.Point, i.Chain, i.Step, i.Since = h.step.Point, h.step.Chain, &h.step.Step, &h.since
			}
			infos = append(infos, i)
		}
		w.mu.Unlock()
		if b, err := json.Marshal(infos); err == nil {
			m.Respond(b)
		}
	})
	return func() { sub.Unsubscribe() }, err
}
