package record

import (
	"cmp"
	"errors"
	"os"
	"slices"

	"github.com/dpdissect/dpdissect/internal/outfile"
)

// Bounds of Parts: files that are open at a time, and bytes that wait to be written, to one
// file and to all.
const (
	openParts   = 64
	partWaiting = 64 << 10
	allWaiting  = 16 << 20
)

// Parts write packets that come as blocks of pcapng to several files. Each file has the
// section header, the interfaces, the names and the keys that stood before its packets; all
// other blocks that are no packets are left out: they tell of the whole capture. The files
// are for the user alone. It is not safe for concurrent use.
type Parts struct {
	Leave func() error // is called before a section ends, while packets of it can still be written; nil for nobody

	guard   *outfile.Guard
	order   byteOrder // of the section
	section int       // counts them, from 1
	common  []byte    // blocks of the section that each file has
	parts   map[string]*part
	made    []*part // the same, in the order in which they came
	open    []*part // used longest ago first
	waiting int     // bytes
}

// A part is one of the files.
type part struct {
	path    string
	file    *os.File    // nil while it is closed
	info    os.FileInfo // nil before it was opened first
	section int         // that it has begun
	seen    int         // bytes of the section's common blocks that it has
	buf     []byte      // whole blocks that were not written yet
}

// NewParts makes no file yet. The guard knows files that none may be.
func NewParts(g *outfile.Guard) *Parts { return &Parts{guard: g, parts: map[string]*part{}} }

// Take reads what a Copy appended, and gives the packets of it: they are valid as long as the
// blocks are.
func (p *Parts) Take(blocks []byte) (packets []byte, err error) {
	for len(blocks) > 0 {
		if len(blocks) >= minBlock && isSection(blocks) {
			if p.Leave != nil && p.section > 0 {
				if err := p.Leave(); err != nil {
					return nil, err
				}
			}
			p.order, p.common = orderOf(blocks), nil
			p.section++
		}
		if p.order == nil {
			return nil, errNoSection
		}
		size := (&copied{order: p.order}).size(blocks)
		if size < minBlock || size > len(blocks) {
			return nil, errors.New("a block of a pcapng file has a wrong length")
		}
		switch p.order.Uint32(blocks) {
		case blockSection, blockInterface, blockNames, blockSecrets:
			p.common = append(p.common, blocks[:size]...)
		case blockEnhanced, blockSimple, blockPacket:
			packets = append(packets, blocks[:size]...)
		}
		blocks = blocks[size:]
	}
	return packets, nil
}

// Write appends packets to a file, which is made if it is not there yet.
func (p *Parts) Write(path string, packets []byte) error {
	if len(packets) == 0 {
		return nil
	}
	t := p.parts[path]
	if t == nil {
		t = &part{path: path}
		p.parts[path] = t
		p.made = append(p.made, t)
	}
	if t.section != p.section {
		t.section, t.seen = p.section, 0
	}
	before := len(t.buf)
	t.buf = append(append(t.buf, p.common[t.seen:]...), packets...)
	t.seen = len(p.common)
	p.waiting += len(t.buf) - before
	switch {
	case p.waiting > allWaiting:
		return p.flush()
	case t.info == nil || len(t.buf) >= partWaiting:
		return p.put(t)
	}
	return nil
}

// flush writes all that waits.
func (p *Parts) flush() error {
	for _, t := range p.made {
		if err := p.put(t); err != nil {
			return err
		}
	}
	return nil
}

// Paths are the files, in the order in which they were made.
func (p *Parts) Paths() (all []string) {
	for _, t := range p.made {
		all = append(all, t.path)
	}
	return all
}

// put writes what waits for a file.
func (p *Parts) put(t *part) error {
	if len(t.buf) == 0 {
		return nil
	}
	if err := p.use(t); err != nil {
		return err
	}
	_, err := t.file.Write(t.buf)
	p.waiting -= len(t.buf)
	if t.buf = t.buf[:0]; cap(t.buf) > partWaiting || len(p.parts) > openParts {
		t.buf = nil
	}
	return err
}

// use opens a file, if it is not open, and closes the one that was used longest ago, if there
// are too many.
func (p *Parts) use(t *part) error {
	if at := slices.Index(p.open, t); at >= 0 {
		p.open = append(slices.Delete(p.open, at, at+1), t)
		return nil
	}
	if len(p.open) >= openParts {
		oldest := p.open[0]
		p.open = slices.Delete(p.open, 0, 1)
		if err := oldest.close(); err != nil {
			return err
		}
	}
	if err := t.reopen(p.guard); err != nil {
		return err
	}
	p.open = append(p.open, t)
	return nil
}

// reopen makes the file, or opens it again to write on.
func (t *part) reopen(g *outfile.Guard) error {
	if t.info == nil {
		f, err := outfile.CreateOwn(t.path, outfile.Private, g)
		if err != nil {
			return err
		}
		t.file = f.File()
		t.info, err = t.file.Stat()
		return err
	}
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	t.file = f
	if now, err := f.Stat(); err != nil || !os.SameFile(now, t.info) {
		return cmp.Or(err, errors.New(t.path+": was replaced while it was written"))
	}
	return nil
}

func (t *part) close() error {
	f := t.file
	t.file = nil
	return f.Close()
}

// Close writes what waits, and closes all files. After an error none of them stays.
func (p *Parts) Close(err error) error {
	if err == nil {
		err = p.flush()
	}
	for _, t := range p.open {
		err = cmp.Or(err, t.close())
	}
	p.open = nil
	if err != nil {
		for _, t := range p.made {
			if t.info != nil {
				os.Remove(t.path)
			}
		}
	}
	return err
}
