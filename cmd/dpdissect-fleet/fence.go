package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/dpdissect/dpdissect/internal/tables"
)

// fencesBelow is the folder below --out that the attempts at steps have their places in.
const fencesBelow = ".steps"

// fence implements fleet.Fence. In a file system the place is a folder that rows are written in, and renamed out
// of: once it is gone no file of it gets its name. In a bucket it is an object that is asked for before each PUT.
func (c *workCommand) fence(ctx context.Context, point, chain string, step, attempt int) (place string, leave func(), err error) {
	at := fmt.Sprintf("%s/%s/%s.%08d", fencesBelow, tables.FileName(point), tables.FileName(chain), step)
	if c.bucket != nil {
		return c.fenceObject(ctx, at, attempt)
	}
	dir := filepath.Join(c.rows.Out, filepath.FromSlash(at))
	for i := range attempt {
		if err := removeAtOnce(filepath.Join(dir, strconv.Itoa(i))); err != nil {
			return "", nil, err
		}
	}
	place = filepath.Join(dir, strconv.Itoa(attempt))
	for range 10 { // the end of another attempt may remove what is empty
		if err = os.MkdirAll(place, 0o777); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return place, func() {
		os.RemoveAll(place)
		os.Remove(dir)
	}, err
}

// removeAtOnce removes a folder so that nothing can be written there from the first moment on.
func removeAtOnce(dir string) error {
	away := dir + "-" + rand.Text()
	err := os.Rename(dir, away)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(away)
}

func (c *workCommand) fenceObject(ctx context.Context, at string, attempt int) (place string, leave func(), err error) {
	for i := range attempt {
		if err := c.bucket.Remove(ctx, at+"/", "/"+strconv.Itoa(i)); err != nil {
			return "", nil, err
		}
	}
	place = at + "/" + strconv.Itoa(attempt)
	return place, func() { c.bucket.Remove(context.WithoutCancel(ctx), at+"/", "/"+strconv.Itoa(attempt)) }, c.bucket.Mark(ctx, place)
}

// A fencedFolder is a tables.Store whose files come from the place of an attempt.
type fencedFolder struct {
	*tables.Folder
	place string
}

// Create implements tables.Store.
func (f *fencedFolder) Create(path string) (tables.Pending, error) {
	full := filepath.Join(f.Path, filepath.FromSlash(path))
	if err := f.Files.Check(full); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(f.place, rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &fencedFile{file, full}, nil
}

// A fencedFile is one that is being written.
type fencedFile struct {
	*os.File
	path string
}

// Commit implements tables.Pending.
func (f *fencedFile) Commit() error {
	err := f.Close()
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	return err
}

// Abort implements tables.Pending.
func (f *fencedFile) Abort() {
	if f.Close() == nil { // else it was committed
		os.Remove(f.Name())
	}
}
