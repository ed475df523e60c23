package record

import (
	"io"
	"os"

	"github.com/dpdissect/dpdissect/internal/outfile"
)

// A file takes the records of a capture.Writer, each Write whole ones, and compresses
// them on the way. It knows where it could be cut and be sound.
type file struct {
	path    string
	w       io.Writer
	f       *os.File // nil for standard output
	out     *outfile.File
	placed  bool    // out has its name
	regular bool    // it can be cut
	size    int64   // bytes taken
	pack    *packer // nil for none
	marks   []mark  // of compressed files: where it could end, the newest last
	written func() (bytes int64, packets uint64)
}

// A mark is a place where a compressed file could end.
type mark struct {
	size    int64
	packets uint64
	tail    []byte // what ends it
}

// openFile makes a file. Devices and pipes are written to as they are. A file of a ring
// has its name at once, which is the program's own; another takes it by place.
func openFile(path string, ring bool, g *outfile.Guard, pack *packer) (*file, error) {
	create := outfile.Create
	if ring {
		create = outfile.CreateOwn
	}
	out, err := create(path, outfile.Private, g)
	if err != nil {
		return nil, err
	}
	f := newFile(path, out.File(), out.File(), !out.InPlace(), pack)
	f.out, f.placed = out, ring
	return f, nil
}

func newFile(path string, w io.Writer, f *os.File, regular bool, pack *packer) *file {
	if pack != nil {
		pack.begin()
	}
	return &file{path: path, w: w, f: f, regular: regular, pack: pack, written: func() (int64, uint64) { return 0, 0 }}
}

// place gives the file its name, once it is a capture: it is to be found while it is
// written, and after a crash.
func (f *file) place() error {
	if f.out == nil || f.placed {
		return nil
	}
	err := f.out.Place()
	f.w, f.f, f.placed = f.out.File(), f.out.File(), err == nil
	return err
}

// Write takes whole records. Of a compressed file it takes all of them or none.
func (f *file) Write(b []byte) (int, error) {
	if f.pack == nil {
		n, err := f.w.Write(b)
		f.size += int64(n)
		return n, err
	}
	f.mark()
	z, err := f.pack.pack(b)
	if err != nil {
		return 0, err
	}
	n, err := f.w.Write(z)
	f.size += int64(n)
	f.pack.packed()
	if err != nil {
		return 0, err
	}
	return len(b), nil
}

// mark notes that the file could end here. Two places are remembered: where the
// newest leaves no room for the tail, the one before does.
func (f *file) mark() {
	if f.size == 0 {
		return
	}
	if len(f.marks) == 2 {
		f.marks = append(f.marks[:0], f.marks[1])
	}
	_, packets := f.written()
	f.marks = append(f.marks, mark{f.size, packets, f.pack.tail()})
}

// close ends the file properly.
func (f *file) close() error {
	if f.pack != nil {
		f.mark()
		n, err := f.w.Write(f.pack.tail())
		f.size += int64(n)
		if err != nil {
			return err
		}
	}
	if f.out == nil {
		return nil
	}
	return f.out.Commit()
}

// cut ends a file that could not be written on: it takes back what is half a record
// and closes it. It says how many packets are in it. A file without a name yet does
// not stay.
func (f *file) cut() (packets uint64) {
	if f.out != nil && !f.placed {
		f.out.Abort()
		return 0
	}
	size, packets := f.written()
	if f.regular && f.pack == nil {
		f.truncate(size)
	}
	if f.regular && f.pack != nil {
		packets = f.cutPacked()
	}
	if f.out != nil {
		f.out.Commit()
	}
	return packets
}

// cutPacked goes back to the newest place where the stream can be ended.
func (f *file) cutPacked() uint64 {
	for i := len(f.marks) - 1; i >= 0; i-- {
		m := f.marks[i]
		f.truncate(m.size)
		if n, err := f.f.WriteAt(m.tail, m.size); err == nil {
			f.size += int64(n)
			return m.packets
		}
	}
	f.truncate(0)
	return 0
}

// truncate can't do better than try: the file is damaged as it stands.
func (f *file) truncate(size int64) {
	if f.f.Truncate(size) == nil {
		f.size = size
	}
}
