package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// record reads where a chain stands, and at which revision; 0 where nothing is known of it. What is
// no record comes as errNoRecord with its bytes.
func (q *Queue) record(ctx context.Context, point, chain string) (r Record, revision uint64, raw []byte, err error) {
	err = q.again(ctx, noQuorum, func(ctx context.Context) error {
		e, err := q.chains.Get(ctx, ofChain(point, chain))
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			revision, raw = 0, nil
			return nil
		}
		if err == nil {
			revision, raw = e.Revision(), e.Value()
		}
		return err
	})
	if err != nil || revision == 0 {
		return r, 0, nil, err
	}
	r, err = parseRecord(point, chain, raw)
	return r, revision, raw, err
}

// put changes a record that is at a revision. ok is false where somebody else was first.
func (q *Queue) put(ctx context.Context, point, chain string, r *Record, revision uint64) (ok bool, err error) {
	b, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	key := ofChain(point, chain)
	err = q.again(ctx, noQuorum, func(ctx context.Context) error {
		var err error
		switch {
		case revision == 0:
			_, err = q.chains.Create(ctx, key, b)
		case r.forgettable() && q.forgets:
			_, err = q.js.Publish(ctx, q.chainSubject(key), b, jetstream.WithExpectLastSequencePerSubject(revision), jetstream.WithMsgTTL(keepSteps))
		default:
			_, err = q.chains.Update(ctx, key, b, revision)
		}
		if ok = err == nil; !isConflict(err) {
			return err
		}
		e, err := q.chains.Get(ctx, key) // perhaps it was this call, whose answer was lost
		if ok = err == nil && bytes.Equal(e.Value(), b); errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		return err
	})
	return ok, err
}

// isConflict reports whether something else was written first.
func isConflict(err error) bool {
	if errors.Is(err, jetstream.ErrKeyExists) {
		return true
	}
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// change changes a record, however often others do so in the meantime. do says false to leave it.
func (q *Queue) change(ctx context.Context, point, chain string, do func(*Record) bool) (changed bool, err error) {
	for {
		r, revision, _, err := q.record(ctx, point, chain)
		if errors.Is(err, errNoRecord) { // a worker makes a letter of it, and another record
			return false, nil
		}
		if err != nil || !do(&r) {
			return false, err
		}
		if ok, err := q.put(ctx, point, chain, &r, revision); ok || err != nil {
			return ok, err
		}
	}
}
