package reduce

import (
	"errors"
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/session"
)

// Options of Reduce.
type Options struct {
	Judge       *Judge
	MaxTries    int    // captures that are checked at most
	Application string // name and version of this program, for the file

	// Open reads the input once more.
	Open func() (*capture.Source, error)
}

// A Result is the smallest capture that was found.
type Result struct {
	File     []byte            // pcapng
	Frames   []uint64          // numbers in the input of its packets
	Frame    uint64            // number in it of the target's frame
	Findings []session.Finding // all of it that check reports, by frame
	Tries    int
	Minimal  bool // no single packet can be left out
}

// ErrBeside says that a finding rests on what stands beside the packets of a file, such as
// statistics of an interface: packets alone do not show it.
var ErrBeside = errors.New("packets alone do not show the finding: it rests on what else the file says, such as the drops in its statistics")

// Reduce finds a small capture in which a finding stays. f is the finding in the whole input.
func Reduce(o Options, f *session.Finding) (*Result, error) {
	r := &reduction{Options: o, target: TargetOf(f)}
	if f.Conn != nil {
		of := pairOf(f.Conn.A, f.Conn.B)
		if err := r.begin(&of); err != nil {
			return nil, err
		}
	}
	if r.kept == nil { // other connections have to do with it, or the file has no others
		if err := r.begin(nil); err != nil {
			return nil, err
		}
	}
	if r.kept == nil {
		return nil, ErrBeside
	}
	r.others()
	r.time(f.Frames)
	r.messages()
	r.singles()
	return r.result()
}

// A reduction is on its way to fewer packets.
type reduction struct {
	Options
	target  Target
	packets *packets
	kept    []int // places of packets that suffice, nil before that is known
	tries   int
	minimal bool
	err     error // of writing or checking: nothing more is tried
}

// begin reads the input, or the packets of an address pair, and keeps them if they suffice.
func (r *reduction) begin(of *pair) error {
	src, err := r.Open()
	if err != nil {
		return err
	}
	r.packets = load(src, of)
	src.Close()
	all := make([]int, len(r.packets.list))
	for i := range all {
		all[i] = i
	}
	r.keep(all)
	return r.err
}

// keep tries some packets: where they suffice, no others are kept.
func (r *reduction) keep(places []int) bool {
	if !r.shows(places) {
		return false
	}
	r.kept = places
	return true
}

// shows reports whether some packets show the finding.
func (r *reduction) shows(places []int) bool {
	if r.err != nil || r.spent() || len(places) == 0 {
		return false
	}
	r.tries++
	file, err := r.packets.write(places, r.Application)
	if err != nil {
		r.err = err
		return false
	}
	list, err := r.findings(file)
	r.err = err
	return err == nil && r.target.at(list, func(frame uint64) uint64 { return r.packets.list[places[frame-1]].frame }) != nil
}

// spent reports that nothing more may be tried.
func (r *reduction) spent() bool { return r.tries >= r.MaxTries }

func (r *reduction) findings(file []byte) ([]session.Finding, error) {
	src, err := open(file)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return r.Judge.Findings(src, 1)
}

// others leaves out the packets of other address pairs, and those of none.
func (r *reduction) others() {
	r.drop(split(r.kept, func(at int) pair { return r.packets.list[at].pair }))
}

// messages leaves out what belongs together: handshakes, frames with their retries and
// acknowledgements, fragments.
func (r *reduction) messages() {
	if r.err != nil {
		return
	}
	file, err := r.packets.write(r.kept, r.Application)
	if err != nil {
		r.err = err
		return
	}
	src, err := open(file)
	if err != nil {
		r.err = err
		return
	}
	defer src.Close()
	tied, err := r.Judge.tie(src)
	if err != nil {
		r.err = err
		return
	}
	datagrams := map[uint64]uint64{}
	for i, at := range r.kept {
		if n := r.packets.list[at].assembly; n != 0 {
			if first, ok := datagrams[n]; ok {
				tied.join(first, uint64(i+1))
			} else {
				datagrams[n] = uint64(i + 1)
			}
		}
	}
	number := map[int]uint64{}
	for i, at := range r.kept {
		number[at] = uint64(i + 1)
	}
	r.drop(split(r.kept, func(at int) uint64 { return tied.of(number[at]) }))
}

// singles leaves out packets one by one, many at first.
func (r *reduction) singles() {
	r.minimal = r.drop(split(r.kept, func(at int) int { return at })) && r.err == nil
}

// drop leaves out parts that are not needed: halves of them, quarters, and so on to single
// ones, until none can be left out. It reports whether that is so, and was not merely the end
// of the tries.
func (r *reduction) drop(parts [][]int) bool {
	for size := (len(parts) + 1) / 2; size > 0; {
		left := false
		for end := len(parts); end > 0; {
			from := max(0, end-size)
			rest := slices.Concat(parts[:from], parts[end:])
			if r.keep(together(rest)) {
				parts, left = rest, true
			}
			end = from
		}
		if size == 1 && !left {
			break
		}
		if size > 1 {
			size = (size + 1) / 2
		}
	}
	return !r.spent()
}

func (r *reduction) result() (*Result, error) {
	if r.err != nil {
		return nil, r.err
	}
	out := &Result{Tries: r.tries, Minimal: r.minimal}
	var err error
	if out.File, err = r.packets.write(r.kept, r.Application); err != nil {
		return nil, err
	}
	if out.Findings, err = r.findings(out.File); err != nil {
		return nil, err
	}
	for i, at := range r.kept {
		out.Frames = append(out.Frames, r.packets.list[at].frame)
		if r.packets.list[at].frame == r.target.Frame {
			out.Frame = uint64(i + 1)
		}
	}
	return out, nil
}
