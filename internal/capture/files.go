package capture

import (
	"errors"
	"io"
	"os"
	"time"
)

// files merges several files by time. Packets of equal time keep the order of the
// inputs as given; those without a time follow the packet before them in their
// file. Packets of one input are never reordered.
type files struct {
	inputs  []*input
	heap    []*input // those with a packet at the head, the next one first
	filter  *Filter
	frame   uint64
	given   bool // the head of heap[0] was given and must make room
	alone   bool // one file is read as it is
	inOrder bool // one file is read after the other
	started bool
}

// manyInputs is where windows become small, so that memory does not follow the
// number of inputs.
const manyInputs = 16

// Open opens the inputs, "-" being standard input. The error is one of usage:
// no input, or standard input twice. Files that can't be read are told by Infos.
func Open(paths []string, opts Options) (*Source, error) {
	if len(paths) == 0 {
		return nil, errors.New("no input given")
	}
	if opts.Stdin == nil {
		opts.Stdin = os.Stdin
	}
	stdins := 0
	for _, p := range paths {
		if p == "-" {
			stdins++
		}
	}
	if stdins > 1 {
		return nil, errors.New("standard input (-) is given more than once")
	}
	size := windowSize
	if len(paths) > manyInputs {
		size = smallWindow
	}
	s := &Source{max: opts.MaxPackets}
	if opts.Limits.Packets != 0 && (s.max == 0 || opts.Limits.Packets < s.max) {
		s.max = opts.Limits.Packets
	}
	f := &files{filter: opts.Filter, inOrder: opts.InOrder, alone: len(paths) == 1 && opts.Filter == nil && !opts.Blocks}
	s.inlet = f
	fed := &streams{files: f, ready: make(chan struct{}, 1)}
	for i, p := range paths {
		in := newInput(p, i)
		if opts.Blocks {
			in.others = new(otherBlocks)
		}
		f.inputs = append(f.inputs, in)
		switch {
		case opts.Pace, isStream(p, opts.Stdin):
			in.feed(size, opts, false, fed.ready)
		case opts.Follow && canGrow(p):
			s.grows = len(paths) == 1
			in.feed(size, opts, true, fed.ready)
		default:
			in.open(size, opts.Expansion, opts.Stdin, &s.done, &s.total)
			continue
		}
		s.inlet = fed
	}
	fed.limit(opts.Limits)
	return s, nil
}

// isStream reports whether an input is a pipe, or something else whose packets come
// when they come.
func isStream(path string, stdin io.Reader) bool {
	var st os.FileInfo
	var err error
	if path != "-" {
		st, err = os.Stat(path)
	} else if file, ok := stdin.(*os.File); ok {
		st, err = file.Stat()
	}
	return err == nil && st != nil && !st.Mode().IsRegular() && !st.IsDir()
}

// ReadOnce reports an input that can be read only once: standard input, or a pipe.
func ReadOnce(path string) bool { return path == "-" || isStream(path, nil) }

// Regular reports whether all inputs are files, which can be read more than once.
func Regular(paths []string) bool {
	for _, p := range paths {
		if p == "-" || !canGrow(p) {
			return false
		}
	}
	return true
}

// canGrow reports whether an input is a file that more may be written to.
func canGrow(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func (f *files) next(out *fed) (wait, ok bool) {
	for {
		if !f.started {
			f.start()
		} else if f.given {
			f.advance()
		}
		if len(f.heap) == 0 {
			return false, false
		}
		in := f.heap[0]
		f.given = true
		f.frame++
		out.drops += in.newDrops()
		if f.filter != nil && !in.passes(f.filter) {
			continue
		}
		in.count()
		out.rec, out.frame, out.file, out.near = &in.rec, f.frame, in.index, in.rec.near && f.alone
		return false, true
	}
}

// start brings the first packet of every input to its head.
func (f *files) start() {
	f.started = true
	for _, in := range f.inputs {
		if in.advance() {
			f.heap = append(f.heap, in)
		}
	}
	for i := len(f.heap)/2 - 1; i >= 0; i-- {
		f.sink(i)
	}
}

// advance replaces the packet that was given by the next one of its input.
func (f *files) advance() {
	f.given = false
	if !f.heap[0].advance() {
		last := len(f.heap) - 1
		f.heap[0] = f.heap[last]
		f.heap = f.heap[:last]
	}
	if len(f.heap) > 1 {
		f.sink(0)
	}
}

// sink restores the order of the heap below i.
func (f *files) sink(i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(f.heap); c++ {
			if f.before(f.heap[c], f.heap[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		f.heap[i], f.heap[least] = f.heap[least], f.heap[i]
		i = least
	}
}

func (f *files) before(a, b *input) bool {
	if f.inOrder {
		return a.index < b.index
	}
	return a.key < b.key || a.key == b.key && a.index < b.index
}

func (f *files) infos() []Info {
	infos := make([]Info, len(f.inputs))
	for i, in := range f.inputs {
		infos[i] = in.info()
	}
	return infos
}

func (f *files) rest(file int) ([]byte, uint64) { return f.inputs[file].rest() }

// stop does nothing: files end by themselves.
func (f *files) stop() {}

// wakeAt has no meaning for files, which are never waited for.
func (f *files) wakeAt(time.Time) {}

// waitAtMost of files is without end: all that tells of their packets is there.
func (f *files) waitAtMost(time.Duration) time.Duration { return forever }

func (f *files) close() {
	for _, in := range f.inputs {
		in.close()
	}
	f.heap, f.started, f.given = nil, true, false
}
