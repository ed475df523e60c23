package annotate

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/record"
)

// Room is how many bytes of packets may stand after one before it is written with what is
// known of it then.
const Room = 16 << 20

// Options say what a Printer writes.
type Options struct {
	Display     pipeline.Display // which packets; all others are left out
	Plain       bool             // no comments are added
	Join        bool             // several inputs become one section
	Filtered    bool             // packets of the input never come here
	Application string           // name and version of this program
	Summary     []byte           // a comment for each section, nil for none
}

// A Printer writes the packets of a run as pcapng, in the order of the capture. The source of
// the run must give blocks (capture.Options.Blocks). Of the first error on nothing is written
// any more.
type Printer struct {
	pipeline.NoMessages

	opts    Options
	keys    []Key
	out     *record.Copy
	frames  []*dissect.Frame // of the packet at hand, of which there is something to say
	comment []byte
	wanted  bool    // the packet at hand
	frame   uint64  // its number in the input
	part    uint64  // number of the datagram that it is a fragment of, or ends
	whole   bool    // it ends that datagram, or is none of its fragments
	more    int     // datagrams of it that are not printed yet
	written uint64  // packets
	here    *places // nil where all packets are written
	lost    uint64  // blocks for which there was no room
	err     error
}

// New makes a Printer.
func New(o Options) *Printer {
	p := &Printer{opts: o, keys: Keys(), out: record.NewCopy(record.CopyOptions{Join: o.Join, Application: o.Application, Comment: o.Summary})}
	if o.Filtered || o.Display.Selects() {
		p.here = new(places)
	}
	return p
}

// Attach makes the run tell what is written of it, and the queue wait for what later packets
// tell. It is for before the queue is attached.
func (p *Printer) Attach(r *pipeline.Run, q *pipeline.Queue) {
	p.opts.Display.Configure(&r.Config)
	r.Config.Links = r.Config.Links || !p.opts.Plain
	q.Room = Room
	before := r.Before
	r.Before = func(packet *capture.Packet) {
		if before != nil {
			before(packet)
		}
		p.hold(packet)
	}
}

// hold keeps a packet until its turn comes.
func (p *Printer) hold(packet *capture.Packet) {
	if p.err == nil {
		p.err = p.out.Hold(packet.Record, packet.File)
	}
}

// Err is why writing ended, nil as long as nothing went wrong.
func (p *Printer) Err() error { return p.err }

// Written counts the packets that were written, and Lost how many blocks that are no packets were
// left out, for which there was no room between two packets.
func (p *Printer) Written() uint64 { return p.written }
func (p *Printer) Lost() uint64    { return p.lost }

// Prepare implements pipeline.Printer.
func (p *Printer) Prepare(_ int, s *pipeline.Slot, fr *dissect.Frame) {
	p.opts.Display.Prepare(s, fr)
	if !s.Show && fr.Parts == 0 {
		s.Settle()
	}
}

// Print implements pipeline.Printer: the packet is written with the last of its datagrams.
func (p *Printer) Print(dst []byte, s *pipeline.Slot) []byte {
	if !p.take(s) {
		return dst
	}
	dst = p.write(dst)
	if p.here != nil && p.wanted {
		p.here.add(p.frame, p.written)
	}
	return dst
}

// take takes a datagram, and reports that a packet is complete and can be written.
func (p *Printer) take(s *pipeline.Slot) bool {
	if p.more == 0 {
		p.more, p.wanted, p.frames = s.More(), false, p.frames[:0]
		p.frame, p.part, p.whole = s.Datagram.Frame, s.Assembly, s.IsShown() || s.Assembly == 0
	} else {
		p.more--
	}
	p.wanted = p.shows(s) || p.wanted
	if s.IsShown() && says(&s.Frame) && !p.opts.Plain {
		p.frames = append(p.frames, &s.Frame)
	}
	return p.more == 0 && p.err == nil
}

// write appends the packet at hand. Fragments are kept aside until the datagram is whole that
// a filter judges: they are written in front of the last one.
func (p *Printer) write(dst []byte) []byte {
	if !p.wanted && !p.whole && p.opts.Display.Filter != nil {
		dst, p.err = p.out.Aside(dst, p.part)
		return dst
	}
	p.comment = p.comment[:0]
	for _, fr := range p.frames {
		p.say(fr)
	}
	if p.wanted {
		p.written += 1 + p.out.Kept(p.part)
	}
	dst, p.err = p.out.Next(dst, p.part, p.wanted, cut(p.comment))
	return dst
}

// shows reports whether a packet is to be written for a datagram of it, or as it is.
func (p *Printer) shows(s *pipeline.Slot) bool {
	d := &p.opts.Display
	if d.Filter != nil {
		return d.Decide(s)
	}
	return d.Window == nil || d.Window.Has(s)
}

// says reports whether there is something to say of a frame.
func says(fr *dissect.Frame) bool {
	return fr.Connection >= 0 || fr.Protocol != "" && fr.Protocol != "udp" || fr.Words != 0 || len(fr.Notes) > 0 || fr.Err != nil
}

// say adds a frame to the comment. A packet that stood for several datagrams has the lines of
// each, one after the other.
func (p *Printer) say(fr *dissect.Frame) {
	if len(p.comment) > 0 {
		p.comment = append(p.comment, '\n')
	}
	p.comment = appendLine(p.comment, p.keys, fr, p.here)
	p.comment = appendText(p.comment, fr)
}

// Begin appends what stands in front of the first packet of a live run: who reads what is
// written sees that it began.
func (p *Printer) Begin(dst []byte, src *capture.Source) []byte {
	for i, head := range src.Heads() {
		if p.err == nil {
			dst, p.err = p.out.Rest(dst, i, head)
		}
	}
	return dst
}

// Finish appends what stands after the last packets of the inputs.
func (p *Printer) Finish(dst []byte, src *capture.Source) []byte {
	for file := range src.Infos() {
		blocks, lost := src.Rest(file)
		if p.lost += lost; p.err == nil {
			dst, p.err = p.out.Rest(dst, file, blocks)
		}
	}
	return p.out.End(dst)
}
