package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/state"
	"github.com/dpdissect/dpdissect/internal/tables"
	"github.com/dpdissect/dpdissect/session"
)

// piecewise is the flags of commands that take a capture piece by piece.
type piecewise struct {
	from, to string
	gap      bool
	command  string
	more     any // further options that count

	head state.Head
	file *outfile.File // of --state-out
	left []byte        // what it will hold, once all was read
}

// maxState is the largest state that is read, in bytes.
const maxState = 4 << 30

func (p *piecewise) add(cmd *cobra.Command) {
	p.command = cmd.Name()
	f := cmd.Flags()
	f.StringVar(&p.from, "state-in", "", "go on from the state in `FILE`: INPUT is the next piece of its capture")
	f.StringVar(&p.to, "state-out", "", "write what the next piece needs to `FILE`, which may be that of --state-in")
	f.BoolVar(&p.gap, "after-gap", false, "packets are missing in front of this piece")
}

// given reports whether the command takes pieces: they are read one after the other.
func (p *piecewise) given() bool { return p.from != "" || p.to != "" }

// check refuses what has no meaning together.
func (p *piecewise) check(cmd *cobra.Command) error {
	if p.gap && !p.given() {
		return usagef("--after-gap works with a capture in pieces: give --state-in or --state-out")
	}
	if !p.given() {
		return nil
	}
	for _, name := range []string{"display-filter", "packet-count", "from", "to", "connection", "interface", "follow"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			flag := "--" + name
			if f.Shorthand != "" {
				flag = "-" + f.Shorthand
			}
			return usagef("%s does not work with --state-in and --state-out: a state is of the whole capture so far", flag)
		}
	}
	return nil
}

// layoutText is the number of a layout as it is shown.
func layoutText(n uint64) string { return fmt.Sprintf("%016x", n) }

// A stateError says what is wrong with a state.
type stateError struct{ error }

func (e stateError) Unwrap() error { return e.error }

// begin reads the head of --state-in. It gives what is wrong as a stateError.
func (p *piecewise) begin(in *input) (body []byte, most int64, err error) {
	if p.head, err = p.headOf(in); err != nil || p.from == "" {
		return nil, 0, err
	}
	file, err := readBounded(p.from, maxState)
	if err != nil {
		return nil, 0, stateError{err}
	}
	head, open, err := state.Open(file)
	if err != nil {
		return nil, 0, stateError{fmt.Errorf("%s: %w", p.from, err)}
	}
	const advice = "begin again at this piece, without --state-in"
	switch {
	case head.Layout != p.head.Layout:
		return nil, 0, fmt.Errorf("--state-in: %s is a state of another build, of layout %s; this one has %s: %s", p.from, layoutText(head.Layout), layoutText(p.head.Layout), advice)
	case head.Command != p.head.Command:
		return nil, 0, fmt.Errorf("--state-in: %s is a state of '%s', not of '%s': %s", p.from, head.Command, p.head.Command, advice)
	case head.Options != p.head.Options:
		return nil, 0, fmt.Errorf("--state-in: %s was made with other options (%s): give the same, or %s", p.from, p.optionNames(), advice)
	}
	if body, err = open(); err != nil {
		return nil, 0, stateError{fmt.Errorf("%s: %w", p.from, err)}
	}
	return body, state.Memory(len(file)) - int64(len(body)), nil
}

// optionNames names the options that count.
func (p *piecewise) optionNames() string {
	if p.more != nil {
		return "--protocols, -d, -f, --bpf, secrets, --interval, --idle, --tables"
	}
	return "--protocols, -d, -f, --bpf, secrets"
}

// headOf is the head of states that the command makes with its options.
func (p *piecewise) headOf(in *input) (h state.Head, err error) {
	o := struct {
		Protocols, DecodeAs []string
		Filter, Bytecode    string
		Secrets             []dp8.SuppliedSecrets
		More                any
	}{in.only, in.decodeAs, in.filter, "", nil, p.more}
	if in.bytecode != "" {
		b, err := readBounded(in.bytecode, maxRules)
		if err != nil {
			return h, err
		}
		o.Bytecode = string(b)
	}
	if o.Secrets, err = in.allSecrets(); err != nil {
		return h, err
	}
	b, err := json.Marshal(o)
	return state.Head{Layout: stateLayout(), Options: sha256.Sum256(b), Command: p.command}, err
}

// stateLayout is the number of the layout of states of this build.
func stateLayout() uint64 {
	number, _ := stateTypes()
	return number
}

// stateTypes is the number of the layout, and what of the types could not be written.
var stateTypes = sync.OnceValues(func() (uint64, []string) {
	return pipeline.Layout(session.Config{Protocols: protocols.All(protocols.Options{})}, append(tables.Types(), new(pipeline.Findings))...)
})

// attach opens --state-out and lets the job's run go on from a state, and leave one. kept
// is what is kept beside.
func (p *piecewise) attach(j *job, body []byte, most int64) error {
	if p.to != "" {
		if err := p.create(j.files); err != nil {
			return err
		}
	}
	j.run.State = &pipeline.State{From: body, Most: most, Gap: p.gap}
	if p.to != "" {
		j.run.State.Leave = func(body []byte, memory int64) error {
			p.left = p.head.Seal(body, memory)
			return nil
		}
	}
	return nil
}

// create opens --state-out, which replaces nothing but a state.
func (p *piecewise) create(g *outfile.Guard) (err error) {
	if old, err := os.Open(p.to); err == nil {
		begin := make([]byte, state.MagicLen)
		n, _ := io.ReadFull(old, begin)
		st, err := old.Stat()
		old.Close()
		if err == nil && st.Mode().IsRegular() && !state.Is(begin[:n]) {
			return usagef("--state-out replaces nothing but a state, and %s is none: give another name", p.to)
		}
	}
	if p.file, err = outfile.Create(p.to, outfile.Private, g); err != nil {
		return notWritten("--state-out", err)
	}
	return nil
}

// finish writes the state once the job has ended with an error, or none. Where a piece could
// not be read at all, or the step failed, the old state stays.
func (p *piecewise) finish(j *job, err error) error {
	if p.file == nil {
		return err
	}
	if p.left == nil || err != nil && !reported(err) || unreadable(j.run.Source) {
		p.file.Abort()
		return err
	}
	_, e := p.file.Write(p.left)
	if e == nil {
		e = p.file.Commit()
	}
	if e != nil {
		p.file.Abort()
		return notWritten("--state-out", e)
	}
	return err
}

// unreadable reports whether nothing could be read of one of the inputs.
func unreadable(src *capture.Source) bool {
	infos := src.Infos()
	for _, i := range infos[src.Before():] {
		if i.Failed && i.Packets == 0 {
			return true
		}
	}
	return false
}

// tell says on stderr what is wrong with a state, and gives the error that stands for it.
func (p *piecewise) tell(err error, stderr io.Writer) error {
	if _, is := errors.AsType[stateError](err); !is && errors.Is(err, state.ErrDamaged) {
		err = stateError{fmt.Errorf("%s: %w", p.from, err)}
	}
	if s, ok := errors.AsType[stateError](err); ok {
		fmt.Fprintln(stderr, "dpdissect: "+printable("--state-in: "+s.Error()))
		return errInput
	}
	return err
}

// guard makes an error of a panic: a state that somebody made may hold anything.
func (p *piecewise) guard(err *error) {
	if p.from == "" {
		return
	}
	if x := recover(); x != nil {
		if os.Getenv("DPDISSECT_STATE_PANIC") != "" {
			fmt.Fprintf(os.Stderr, "%v\n%s", x, debug.Stack())
		}
		*err = stateError{fmt.Errorf("%s: %w: %v", p.from, state.ErrDamaged, x)}
	}
}
