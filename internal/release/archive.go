package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// archive packs a folder into one file of the release, under a name: in the order of paths, with the
// time of the commit and no owner, so that it is the same whoever packs it.
func (r *release) archive(dir, name string, zipped bool) error {
	kind := ".tar.gz"
	pack := packTar
	if zipped {
		kind, pack = ".zip", packZip
	}
	f, err := os.Create(filepath.Join(r.out, name+kind))
	if err != nil {
		return err
	}
	if err := pack(f, dir, name, r.made); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// eachFile gives the files below a folder in the order of their paths, with those in the archive.
func eachFile(dir, name string, do func(path, as string, program bool) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		return do(path, name+"/"+below, !strings.Contains(below, "/") && strings.HasPrefix(below, "dpdissect"))
	})
}

func modeOf(program bool) fs.FileMode {
	if program {
		return 0o755
	}
	return 0o644
}

func packTar(w io.Writer, dir, name string, at time.Time) error {
	z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
	t := tar.NewWriter(z)
	err := eachFile(dir, name, func(path, as string, program bool) error {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: as, Mode: int64(modeOf(program)), Size: int64(len(b)), ModTime: at, Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err = t.Write(b)
		return err
	})
	if err != nil {
		return err
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func packZip(w io.Writer, dir, name string, at time.Time) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	err := eachFile(dir, name, func(path, as string, program bool) error {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: as, Method: zip.Deflate, Modified: at}
		h.SetMode(modeOf(program))
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = f.Write(b)
		return err
	})
	if err != nil {
		return err
	}
	return z.Close()
}
