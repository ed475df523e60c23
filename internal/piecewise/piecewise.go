// Package piecewise lets commands of both programs take a capture piece by piece: their flags, the
// heads of their states, and the files that these are in.
package piecewise

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/state"
	"github.com/dpdissect/dpdissect/internal/tables"
	"github.com/dpdissect/dpdissect/session"
)

// Pieces is the flags of a command, and the states it reads and writes.
type Pieces struct {
	From, To string
	Gap      bool
	Command  string // whose states they are
	Waits    bool   // they may be of inputs that wait for packets
	Usage    func(format string, args ...any) error

	head state.Head
	more bool
	file *outfile.File // of --state-out
	left []byte        // what it will hold, once all was read
	note string        // about it, "" for nothing
}

// Options are those that count: a state goes on with the same ones alone.
type Options struct {
	Protocols, DecodeAs []string
	Filter, Bytecode    string
	Secrets             []dp8.SuppliedSecrets
	More                any // of the command alone
}

// Max is the largest state that is read, in bytes.
const Max = 4 << 30

// Add adds the flags.
func (p *Pieces) Add(f *pflag.FlagSet) {
	f.StringVar(&p.From, "state-in", "", "go on from the state in `FILE`: INPUT is the next piece of its capture")
	f.StringVar(&p.To, "state-out", "", "write what the next piece needs to `FILE`, which may be that of --state-in")
	f.BoolVar(&p.Gap, "after-gap", false, "packets are missing in front of this piece")
}

// Given reports whether the command takes pieces: they are read one after the other.
func (p *Pieces) Given() bool { return p.From != "" || p.To != "" }

// Check refuses what has no meaning together.
func (p *Pieces) Check(flags *pflag.FlagSet) error {
	if p.Gap && !p.Given() {
		return p.Usage("--after-gap works with a capture in pieces: give --state-in or --state-out")
	}
	if !p.Given() {
		return nil
	}
	if p.Waits {
		if f := flags.Lookup("interface"); f.Changed {
			if p.Gap = p.From != ""; !flags.Lookup("chain").Changed {
				return p.Usage("-i with --state-in and --state-out needs --chain NAME: the chain goes on in the next run")
			}
		}
	}
	for _, name := range []string{"display-filter", "packet-count", "from", "to", "connection", "interface", "follow"} {
		if p.Waits && (name == "interface" || name == "follow") {
			continue
		}
		if f := flags.Lookup(name); f != nil && f.Changed {
			flag := "--" + name
			if f.Shorthand != "" {
				flag = "-" + f.Shorthand
			}
			return p.Usage("%s does not work with --state-in and --state-out: a state is of the whole capture so far", flag)
		}
	}
	return nil
}

// LayoutText is the number of a layout as it is shown.
func LayoutText(n uint64) string { return fmt.Sprintf("%016x", n) }

// A stateError says what is wrong with a state.
type stateError struct{ error }

func (e stateError) Unwrap() error { return e.error }

// Begin reads the head of --state-in, and gives its body and how much memory that may take.
func (p *Pieces) Begin(o Options) (body []byte, most int64, err error) {
	if !p.Given() {
		return nil, 0, nil // the layout of all types takes longer than the rest of the start
	}
	p.more = o.More != nil
	b, err := json.Marshal(o)
	if err != nil {
		return nil, 0, err
	}
	p.head = state.Head{Layout: Layout(), Options: sha256.Sum256(b), Command: p.Command}
	if p.From == "" {
		return nil, 0, nil
	}
	file, err := readFile(p.From)
	if err != nil {
		return nil, 0, stateError{err}
	}
	head, open, err := state.Open(file)
	if err != nil {
		return nil, 0, stateError{fmt.Errorf("%s: %w", p.From, err)}
	}
	const advice = "begin again at this piece, without --state-in"
	switch {
	case head.Layout != p.head.Layout:
		return nil, 0, fmt.Errorf("--state-in: %s is a state of another build, of layout %s; this one has %s: %s", p.From, LayoutText(head.Layout), LayoutText(p.head.Layout), advice)
	case head.Command != p.head.Command:
		return nil, 0, fmt.Errorf("--state-in: %s is a state of '%s', not of '%s': %s", p.From, head.Command, p.head.Command, advice)
	case head.Options != p.head.Options:
		return nil, 0, fmt.Errorf("--state-in: %s was made with other options (%s): give the same, or %s", p.From, p.optionNames(), advice)
	}
	if body, err = open(); err != nil {
		return nil, 0, stateError{fmt.Errorf("%s: %w", p.From, err)}
	}
	return body, state.Memory(len(file)) - int64(len(body)), nil
}

// readFile reads a state of at most Max bytes.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, Max+1))
	if err == nil && len(b) > Max {
		err = fmt.Errorf("%s has more than %d bytes", path, int64(Max))
	}
	return b, err
}

// optionNames names the options that count.
func (p *Pieces) optionNames() string {
	if p.more {
		return "--protocols, -d, -f, --bpf, secrets, --interval, --idle, --tables"
	}
	return "--protocols, -d, -f, --bpf, secrets"
}

// Layout is the number of the layout of states of this build.
func Layout() uint64 {
	number, _ := Types()
	return number
}

// Types is the number of the layout, and what of the types could not be written.
var Types = sync.OnceValues(func() (uint64, []string) {
	return pipeline.Layout(session.Config{Protocols: protocols.All(protocols.Options{})}, append(tables.Types(), new(pipeline.Findings))...)
})

// Attach opens --state-out and lets a run go on from a state, and leave one.
func (p *Pieces) Attach(run *pipeline.Run, g *outfile.Guard, body []byte, most int64) error {
	if p.To != "" {
		if err := p.create(g); err != nil {
			return err
		}
	}
	run.State = &pipeline.State{From: body, Most: most, Gap: p.Gap}
	if p.To != "" {
		if run.Source.Waits() {
			run.State.Snapshot = func(body []byte, memory int64) error {
				return outfile.Write(p.To, p.head.Seal(body, memory), outfile.Private, nil) // the guard passed it already
			}
		}
		run.State.Leave = func(body []byte, memory int64) error {
			p.left = p.head.Seal(body, memory)
			p.weigh(len(run.Open()))
			return nil
		}
	}
	return nil
}

// create opens --state-out, which replaces nothing but a state.
func (p *Pieces) create(g *outfile.Guard) (err error) {
	if old, err := os.Open(p.To); err == nil {
		begin := make([]byte, state.MagicLen)
		n, _ := io.ReadFull(old, begin)
		st, err := old.Stat()
		old.Close()
		if err == nil && st.Mode().IsRegular() && !state.Is(begin[:n]) {
			return p.Usage("--state-out replaces nothing but a state, and %s is none: give another name", p.To)
		}
	}
	if p.file, err = outfile.Create(p.To, outfile.Private, g); err != nil {
		return p.notWritten(err)
	}
	return nil
}

func (p *Pieces) notWritten(err error) error {
	if c, ok := errors.AsType[*outfile.Conflict](err); ok {
		return p.Usage("--state-out %w", c)
	}
	return fmt.Errorf("--state-out: %w", err)
}

// MaxConn bounds the bytes that a connection has of a state: what is moved between workers.
const MaxConn = 256 << 10

// weigh notes where a state of so many connections is larger than it may be.
func (p *Pieces) weigh(conns int) {
	if most := max(1, conns) * MaxConn; len(p.left) > most {
		p.note = fmt.Sprintf("--state-out: %s has %d bytes for %d connections, more than %d KiB each", p.To, len(p.left), conns, MaxConn>>10)
	}
}

// Note is what there is to say of a state that was written, "" for nothing.
func (p *Pieces) Note() string { return p.note }

// Finish writes the state once a run has ended. Where a piece could not be read at all, or the
// step failed for another reason than its inputs, the old state stays.
func (p *Pieces) Finish(src *capture.Source, failed bool) error {
	if p.file == nil {
		return nil
	}
	if p.left == nil || failed || src.Unreadable() {
		p.file.Abort()
		return nil
	}
	_, err := p.file.Write(p.left)
	if err == nil {
		err = p.file.Commit()
	}
	if err != nil {
		p.file.Abort()
		return p.notWritten(err)
	}
	return nil
}

// Wrong gives what is wrong with the state of --state-in, where an error says so.
func (p *Pieces) Wrong(err error) (text string, is bool) {
	if _, is := errors.AsType[stateError](err); !is && errors.Is(err, state.ErrDamaged) {
		err = stateError{fmt.Errorf("%s: %w", p.From, err)}
	}
	if s, ok := errors.AsType[stateError](err); ok {
		return "--state-in: " + s.Error(), true
	}
	return "", false
}

// Guard makes an error of a panic: a state that somebody made may hold anything.
func (p *Pieces) Guard(err *error) {
	if p.From == "" {
		return
	}
	if x := recover(); x != nil {
		if os.Getenv("DPDISSECT_STATE_PANIC") != "" {
			fmt.Fprintf(os.Stderr, "%v\n%s", x, debug.Stack())
		}
		*err = stateError{fmt.Errorf("%s: %w: %v", p.From, state.ErrDamaged, x)}
	}
}
