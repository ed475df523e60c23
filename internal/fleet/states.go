package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// objectTimeout is for how long an object that should be there may be not found: another replica
// needs a moment.
const objectTimeout = 10 * time.Second

// objectTime is how long one may be on its way.
const objectTime = time.Minute

// state reads a state. One that is not there is nil.
func (q *Queue) state(ctx context.Context, name string) (b []byte, err error) {
	begun := time.Now()
	for {
		err = q.again(ctx, noQuorum, func(context.Context) (err error) {
			long, cancel := context.WithTimeout(ctx, objectTime)
			defer cancel()
			b, err = q.states.GetBytes(long, name)
			return err
		})
		if err == nil || !errors.Is(err, jetstream.ErrObjectNotFound) && !errors.Is(err, jetstream.ErrDigestMismatch) {
			return b, err
		}
		if time.Since(begun) > objectTimeout {
			return nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pauseMin * 4):
		}
	}
}

// keep stores the state that a step left, under the name of its content.
func (q *Queue) keep(ctx context.Context, s *Step, b []byte) (name string, err error) {
	sum := sha256.Sum256(b)
	name = stateName(s.Point, s.Chain, s.Step, sum[:])
	err = q.again(ctx, noQuorum, func(try context.Context) error {
		if _, err := q.states.GetInfo(try, name); !errors.Is(err, jetstream.ErrObjectNotFound) {
			return err
		}
		long, cancel := context.WithTimeout(ctx, objectTime)
		defer cancel()
		_, err := q.states.Put(long, jetstream.ObjectMeta{Name: name}, bytes.NewReader(b))
		return err
	})
	return name, err
}

// drop forgets a state, with all that tells of it: names come once only, so what the client's Delete
// leaves after would stay for ever.
func (q *Queue) drop(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	return q.again(ctx, noQuorum, func(ctx context.Context) error {
		info, err := q.states.GetInfo(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return nil
		}
		bucket := "$O." + q.o.Prefix + "_states."
		if err == nil {
			err = q.objects.Purge(ctx, jetstream.WithPurgeSubject(bucket+"C."+info.NUID))
		}
		if err == nil {
			err = q.objects.Purge(ctx, jetstream.WithPurgeSubject(bucket+"M."+base64.URLEncoding.EncodeToString([]byte(name))))
		}
		return err
	})
}
