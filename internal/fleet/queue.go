package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options say where the queue is.
type Options struct {
	Server string
	Prefix string        // of names, in lower case
	Wait   time.Duration // for a queue that can't be reached or has no quorum; 0 is for ever
	NoWait bool          // nor for one that is full
	Create bool          // make what is not there
	Nats   []nats.Option // rights
	Tell   func(text string)

	Partitions int // of a queue that is made; 0 for Partitions
}

// A Queue is a connection to one.
type Queue struct {
	o          Options
	conn       *nats.Conn
	js         jetstream.JetStream
	work       jetstream.Stream
	steps      jetstream.Stream
	dead       jetstream.Stream
	chains     jetstream.KeyValue
	states     jetstream.ObjectStore
	objects    jetstream.Stream // of states
	partitions int
	forgets    bool // records that are over: the queue was made so
}

// Unreachable says that the queue can't be reached, has no quorum or is full.
type Unreachable struct {
	what string
	err  error
}

func (e *Unreachable) Error() string { return e.what + ": " + e.err.Error() }
func (e *Unreachable) Unwrap() error { return e.err }

// ErrNone says that nobody made a queue on the server yet.
var ErrNone = errors.New("there is no queue on this server yet: submit something")

const (
	tryTime  = 5 * time.Second // how long one try of a call takes at most
	pauseMin = 50 * time.Millisecond
	pauseMax = 2 * time.Second
)

// Connect connects to a queue, and makes its streams and buckets where asked to.
func Connect(ctx context.Context, o Options) (*Queue, error) {
	q := &Queue{o: o}
	all := append([]nats.Option{nats.Name("dpdissect-fleet"), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectBufSize(-1), nats.Timeout(tryTime), nats.ErrorHandler(tellOnce(o.Tell))}, o.Nats...)
	err := q.again(ctx, "the queue at "+o.Server+" can't be reached", func(context.Context) (err error) {
		q.conn, err = nats.Connect(o.Server, all...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if q.js, err = jetstream.New(q.conn); err == nil {
		err = q.open(ctx)
	}
	if err != nil {
		q.conn.Close()
		return nil, err
	}
	return q, nil
}

// tellOnce tells of errors for which no call waits, such as rights that are missing.
func tellOnce(tell func(string)) nats.ErrHandler {
	var told sync.Map
	return func(_ *nats.Conn, _ *nats.Subscription, err error) {
		text, _, _ := strings.Cut(err.Error(), " on connection")
		if _, had := told.LoadOrStore(inboxOf.ReplaceAllString(text, "_INBOX"), true); !had {
			tell("the queue: " + text)
		}
	}
}

var inboxOf = regexp.MustCompile(`_INBOX[^" ]*`)

// Close ends the connection.
func (q *Queue) Close() { q.conn.Close() }

// again tries until something is done, or fails for another reason than that the queue is away.
func (q *Queue) again(ctx context.Context, what string, do func(context.Context) error) error {
	begun, told := time.Now(), false
	for pause := pauseMin; ; pause = min(2*pause, pauseMax) {
		try, cancel := context.WithTimeout(ctx, q.tryTime(time.Since(begun)))
		err := do(try)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case isFull(err):
			what = "the queue is full"
			if q.o.NoWait {
				return &Unreachable{what, err}
			}
		case !passes(err):
			return err
		case q.o.NoWait || q.o.Wait > 0 && time.Since(begun) >= q.o.Wait:
			return &Unreachable{what, err}
		}
		if !told && time.Since(begun) > time.Second {
			told = true
			q.o.Tell(what + ", waiting: " + err.Error())
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// tryTime is how long one try takes at most, of a call that waited for a while.
func (q *Queue) tryTime(waited time.Duration) time.Duration {
	if q.o.Wait == 0 {
		return tryTime
	}
	return min(tryTime, max(q.o.Wait-waited, time.Second))
}

// Codes of errors of JetStream that its client has no names for.
const (
	codeStoreFailed = 10077 // among others: the stream has as many messages as it may
	codeNoReplicas  = 10074 // the server is alone
)

// isFull reports whether the stream of work takes no more.
func isFull(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == codeStoreFailed && strings.Contains(api.Description, "maximum")
}

// passes reports whether an error says that the queue is away for now.
func passes(err error) bool {
	for _, e := range []error{nats.ErrTimeout, context.DeadlineExceeded, nats.ErrNoResponders, nats.ErrNoServers, nats.ErrDisconnected,
		nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded, nats.ErrStaleConnection, jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat,
		jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs, jetstream.ErrConsumerDeleted, jetstream.ErrConsumerLeadershipChanged,
		jetstream.ErrServerShutdown, jetstream.ErrOrderedConsumerReset} {
		if errors.Is(err, e) {
			return true
		}
	}
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.Code >= 500 && api.ErrorCode != codeNoReplicas
	}
	return isRefused(err)
}

// isRefused reports errors of the network, for which the client has no type.
func isRefused(err error) bool {
	var net interface{ Timeout() bool }
	return errors.As(err, &net) || errors.Is(err, os.ErrDeadlineExceeded)
}

const noQuorum = "the queue does not answer"

// open finds the streams and buckets, or makes them.
func (q *Queue) open(ctx context.Context) error {
	upper := strings.ToUpper(q.o.Prefix)
	var records jetstream.Stream
	for _, s := range []struct {
		to  *jetstream.Stream
		cfg jetstream.StreamConfig
	}{
		{&q.work, q.workConfig(upper + "_WORK")},
		{&q.steps, jetstream.StreamConfig{Name: upper + "_STEPS", Subjects: []string{q.o.Prefix + ".steps.*.*.*"}, MaxMsgsPerSubject: 1, MaxAge: keepSteps}},
		{&q.dead, jetstream.StreamConfig{Name: upper + "_DEAD", Subjects: []string{q.o.Prefix + ".dead.*.*"}, Duplicates: 24 * time.Hour}},
		{&records, bucketConfig("KV_"+q.o.Prefix+"_chains", "$KV."+q.o.Prefix+"_chains.>")},
		{&q.objects, bucketConfig("OBJ_"+q.o.Prefix+"_states", "$O."+q.o.Prefix+"_states.C.>", "$O."+q.o.Prefix+"_states.M.>")},
	} {
		st, err := q.stream(ctx, s.cfg)
		if err != nil {
			return err
		}
		*s.to = st
	}
	q.forgets = records.CachedInfo().Config.AllowMsgTTL
	if err := q.readPartitions(); err != nil {
		return err
	}
	return q.again(ctx, noQuorum, func(ctx context.Context) (err error) {
		if q.chains, err = q.js.KeyValue(ctx, q.o.Prefix+"_chains"); err == nil {
			q.states, err = q.js.ObjectStore(ctx, q.o.Prefix+"_states")
		}
		return err
	})
}

// keepSteps is the age at which the queue forgets what was submitted, and the record of a chain that is over.
const keepSteps = 30 * 24 * time.Hour

const partitionsKey = "dpdissect.partitions"

// maxQueued is how many steps wait at most.
const maxQueued = 1_000_000

func (q *Queue) workConfig(name string) jetstream.StreamConfig {
	n := q.o.Partitions
	if n == 0 {
		n = Partitions
	}
	return jetstream.StreamConfig{Name: name, Subjects: []string{q.o.Prefix + ".work.*.*.*"}, Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew,
		MaxMsgs: maxQueued, Duplicates: 10 * time.Minute, Metadata: map[string]string{partitionsKey: strconv.Itoa(n)}}
}

// bucketConfig is that of a bucket of keys or objects, as the client makes them, but that all is read
// from the leader: a copy that lags after shows records that are none any more.
func bucketConfig(name string, subjects ...string) jetstream.StreamConfig {
	c := jetstream.StreamConfig{Name: name, Subjects: subjects, Discard: jetstream.DiscardNew, AllowRollup: true}
	if strings.HasPrefix(name, "KV_") {
		c.MaxMsgsPerSubject, c.DenyDelete, c.AllowMsgTTL = 1, true, true
	}
	return c
}

// stream finds a stream, or makes it: with three replicas in a cluster.
func (q *Queue) stream(ctx context.Context, cfg jetstream.StreamConfig) (st jetstream.Stream, err error) {
	err = q.again(ctx, noQuorum, func(ctx context.Context) (err error) {
		st, err = q.js.Stream(ctx, cfg.Name)
		if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
		if !q.o.Create {
			return ErrNone
		}
		for _, cfg.Replicas = range []int{3, 1} {
			st, err = q.js.CreateStream(ctx, cfg)
			if api, ok := errors.AsType[*jetstream.APIError](err); !ok || api.ErrorCode != codeNoReplicas {
				break
			}
		}
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			st, err = q.js.Stream(ctx, cfg.Name)
		}
		return err
	})
	return st, err
}

// readPartitions takes the number of partitions that the queue was made with.
func (q *Queue) readPartitions() error {
	text := q.work.CachedInfo().Config.Metadata[partitionsKey]
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1024 {
		return fmt.Errorf("the stream %s is none of dpdissect-fleet: it has %q partitions", q.work.CachedInfo().Config.Name, text)
	}
	if q.o.Partitions != 0 && q.o.Partitions != n {
		return fmt.Errorf("the queue has %d partitions: that can't be changed while it exists", n)
	}
	q.partitions = n
	return nil
}
