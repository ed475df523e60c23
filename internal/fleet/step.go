package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/dpdissect/dpdissect/internal/state"
)

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
	args = append(args, "--fence="+t.place, "--point="+s.Point, "--chain="+chain, "--step="+strconv.Itoa(s.Step))
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
		if is, err := t.isLate(ctx); err != nil || is { // so it found no place for its rows
			return cmp.Or(err, t.late(ctx))
		}
		return t.fault(ctx, o.text)
	}
	return t.retry(ctx, "it was killed or crashed: "+o.text)
}

// rowsChain is the chain that the step's rows have.
func (t *task) rowsChain() string {
	if n := t.since(); n > 0 {
		return Own(t.s.Chain, n)
	}
	return t.s.Chain
}
