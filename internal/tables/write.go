package tables

import (
	"bufio"
	"io"
	"os"
	"path/filepath"

	"github.com/dpdissect/dpdissect/internal/outfile"
)

// A Format is how the rows of a file are written.
type Format interface {
	// Extension is that of the names of files.
	Extension() string
	// Write writes a file of a table. rows gives its rows one by one, as compact JSON that lacks
	// what is not known.
	Write(w io.Writer, t *Table, rows func(row func(json []byte) error) error) error
}

// NDJSON is a row a line, with values as the documents write them.
type NDJSON struct{}

// Extension implements Format.
func (NDJSON) Extension() string { return "ndjson" }

// Write implements Format.
func (NDJSON) Write(w io.Writer, _ *Table, rows func(row func(json []byte) error) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	err := rows(func(json []byte) error {
		b.Write(json)
		return b.WriteByte('\n')
	})
	if err != nil {
		return err
	}
	return b.Flush()
}

// A Store is where files go.
type Store interface {
	// Create begins a file by its path, with slashes, that nobody sees before Commit.
	Create(path string) (Pending, error)
	// Temporary is the folder for files that are read again and removed.
	Temporary() string
}

// A Pending is a file that is being written. After Commit Abort does nothing.
type Pending interface {
	io.Writer
	Commit() error
	Abort()
}

// A Folder is a Store in the file system.
type Folder struct {
	Path  string
	Files *outfile.Guard
}

// Create implements Store.
func (f *Folder) Create(path string) (Pending, error) {
	full := filepath.Join(f.Path, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		return nil, err
	}
	return outfile.Create(full, outfile.Shared, f.Files)
}

// Temporary implements Store.
func (f *Folder) Temporary() string { return f.Path }

// flush writes the files of a step, and lets them be seen once all of them are written.
func (s *spool) flush(o *Options, step int) (err error) {
	var files []Pending
	defer func() {
		for _, f := range files {
			f.Abort()
		}
		s.clear()
	}()
	for _, k := range s.keys() {
		f, err := o.Store.Create(o.path(k.table, k.day, step, o.Format.Extension()))
		if err != nil {
			return err
		}
		files = append(files, f)
		if err := o.Format.Write(f, k.table, s.piles[k].each); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}
