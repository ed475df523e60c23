package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/bucket"
)

const secure = "https://"

// ErrNoFile says that a file to be submitted is none.
var ErrNoFile = errors.New("is no file of packets")

// Look gives inputs as they are now, by name, size and time alone. Names of files are absolute, or of
// files below root, where that is named, as they are called below it.
func Look(ctx context.Context, root string, paths []string) (all []Input, err error) {
	for _, p := range paths {
		in := Input{Path: p}
		switch {
		case strings.HasPrefix(p, bucket.Scheme):
			in.Size, in.Time, err = bucket.Look(ctx, p)
		case strings.HasPrefix(p, secure):
			in.Size, in.Time, err = lookHTTPS(ctx, p)
		default:
			in, err = lookFile(root, p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		all = append(all, in)
	}
	return all, nil
}

func lookFile(root, path string) (in Input, err error) {
	st, err := os.Stat(path)
	if err != nil {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err
		}
		return in, err
	}
	if !st.Mode().IsRegular() {
		return in, ErrNoFile
	}
	in = Input{Size: st.Size(), Time: st.ModTime().UTC()}
	if in.Path, err = filepath.Abs(path); err != nil || root == "" {
		return in, err
	}
	if root, err = filepath.Abs(root); err == nil {
		in.Path, err = filepath.Rel(root, in.Path)
	}
	if err == nil && !filepath.IsLocal(in.Path) {
		err = errors.New("is not below --root")
	}
	in.Path = filepath.ToSlash(in.Path)
	return in, err
}

func lookHTTPS(ctx context.Context, url string) (size int64, at time.Time, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return 0, at, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, at, err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.ContentLength < 0 {
		return 0, at, fmt.Errorf("the server says %s, and tells no size", resp.Status)
	}
	at, _ = http.ParseTime(resp.Header.Get("Last-Modified"))
	return resp.ContentLength, at.UTC(), nil
}

// Batch puts inputs into steps: each into one of its own, or those of each span of time into one.
func Batch(inputs []Input, span time.Duration) (steps [][]Input) {
	for i, in := range inputs {
		if n := len(steps); i > 0 && span > 0 && in.Time.Truncate(span).Equal(inputs[i-1].Time.Truncate(span)) && len(steps[n-1]) < maxInputs {
			steps[n-1] = append(steps[n-1], in)
		} else {
			steps = append(steps, []Input{in})
		}
	}
	return steps
}

// Ring gives the files of a folder by the time at which they were changed last, and their names. Hidden
// ones are left out: they are not complete.
func Ring(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	type file struct {
		path string
		at   time.Time
	}
	var files []file
	for _, e := range entries {
		st, err := e.Info()
		if err != nil || !st.Mode().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		files = append(files, file{filepath.Join(dir, e.Name()), st.ModTime()})
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.path, b.path)) })
	for _, f := range files {
		paths = append(paths, f.path)
	}
	return paths, nil
}

// TrustForTest lets tests be the servers that inputs are read from.
func TrustForTest(t http.RoundTripper) (restore func()) {
	old := client.Transport
	client.Transport = t
	return func() { client.Transport = old }
}
