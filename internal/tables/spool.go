package tables

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"io"
	"os"
	"slices"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// maxHeld is how many bytes of rows are kept in memory; what is more waits in a temporary file.
const maxHeld = 24 << 20

// A spool collects the rows of a step and gives them in the order of their keys.
type spool struct {
	folder string // for temporary files
	piles  map[pileKey]*pile
	held   int
	most   int
}

// A pileKey is a file of the step.
type pileKey struct {
	table *Table
	day   day
}

// A pile is the rows of one file.
type pile struct {
	buf  []byte
	rows []spooled
	runs []*os.File // each in the order of keys
}

// spooled is a row in the buffer of its pile: its key and its text.
type spooled struct{ at, key, end int }

func newSpool(folder string) *spool {
	return &spool{folder: folder, piles: map[pileKey]*pile{}, most: maxHeld}
}

// put takes a row.
func (s *spool) put(k pileKey, key, row []byte) error {
	p := s.piles[k]
	if p == nil {
		p = new(pile)
		s.piles[k] = p
	}
	at := len(p.buf)
	p.buf = append(append(p.buf, key...), row...)
	p.rows = append(p.rows, spooled{at, at + len(key), len(p.buf)})
	if s.held += len(key) + len(row) + 24; s.held < s.most {
		return nil
	}
	return s.spill()
}

// spill moves all rows to temporary files.
func (s *spool) spill() error {
	for _, k := range s.keys() {
		if err := s.piles[k].spill(s.folder); err != nil {
			return err
		}
	}
	s.held = 0
	return nil
}

func (s *spool) keys() []pileKey {
	keys := make([]pileKey, 0, len(s.piles))
	for k := range s.piles {
		keys = append(keys, k)
	}
	stable.Sort(keys, func(a, b pileKey) int {
		return cmp.Or(cmp.Compare(a.table.Name, b.table.Name), cmp.Compare(a.day, b.day))
	})
	return keys
}

func (p *pile) sort() {
	slices.SortFunc(p.rows, func(a, b spooled) int {
		return cmp.Or(bytes.Compare(p.buf[a.at:a.key], p.buf[b.at:b.key]), bytes.Compare(p.buf[a.key:a.end], p.buf[b.key:b.end]))
	})
}

func (p *pile) spill(folder string) error {
	if len(p.rows) == 0 {
		return nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil { // no file may have been written there yet
		return err
	}
	f, err := os.CreateTemp(folder, ".dpdissect-rows-*")
	if err != nil {
		return err
	}
	p.runs = append(p.runs, f)
	w := bufio.NewWriterSize(f, 64<<10)
	p.sort()
	for _, r := range p.rows {
		var head []byte
		head = binary.AppendUvarint(head, uint64(r.key-r.at))
		head = binary.AppendUvarint(head, uint64(r.end-r.key))
		w.Write(head)
		w.Write(p.buf[r.at:r.end])
	}
	p.buf, p.rows = nil, nil
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// each gives the rows in the order of their keys.
func (p *pile) each(f func(row []byte) error) error {
	p.sort()
	var h rowHeap
	add := func(next func() (key, row []byte, err error)) error {
		key, row, err := next()
		if err == io.EOF {
			return nil
		}
		h = append(h, &rowRun{key, row, next})
		return err
	}
	for _, file := range p.runs {
		if err := add(reader(bufio.NewReaderSize(file, 64<<10))); err != nil {
			return err
		}
	}
	if err := add(p.memory()); err != nil {
		return err
	}
	heap.Init(&h)
	for len(h) > 0 {
		top := h[0]
		if err := f(top.row); err != nil {
			return err
		}
		key, row, err := top.next()
		switch err {
		case nil:
			top.key, top.row = key, row
			heap.Fix(&h, 0)
		case io.EOF:
			heap.Pop(&h)
		default:
			return err
		}
	}
	return nil
}

// memory gives the rows that are in memory.
func (p *pile) memory() func() (key, row []byte, err error) {
	i := 0
	return func() (key, row []byte, err error) {
		if i == len(p.rows) {
			return nil, nil, io.EOF
		}
		r := p.rows[i]
		i++
		return p.buf[r.at:r.key], p.buf[r.key:r.end], nil
	}
}

// reader gives the rows of a temporary file.
func reader(r *bufio.Reader) func() (key, row []byte, err error) {
	var buf []byte
	return func() (key, row []byte, err error) {
		k, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, nil, err
		}
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, nil, err
		}
		buf = slices.Grow(buf[:0], int(k+n))[:k+n]
		if _, err := io.ReadFull(r, buf); err != nil {
			return nil, nil, err
		}
		return buf[:k], buf[k:], nil
	}
}

// A rowRun is where rows come from in order, with the next one.
type rowRun struct {
	key, row []byte
	next     func() (key, row []byte, err error)
}

type rowHeap []*rowRun

func (h rowHeap) Len() int { return len(h) }
func (h rowHeap) Less(i, j int) bool {
	return cmp.Or(bytes.Compare(h[i].key, h[j].key), bytes.Compare(h[i].row, h[j].row)) < 0
}
func (h rowHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *rowHeap) Push(x any)   { *h = append(*h, x.(*rowRun)) }
func (h *rowHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// clear forgets all rows and removes the temporary files.
func (s *spool) clear() {
	for _, p := range s.piles {
		for _, f := range p.runs {
			f.Close()
			os.Remove(f.Name())
		}
	}
	clear(s.piles)
	s.held = 0
}
