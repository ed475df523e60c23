package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/bucket"
)

// client reads inputs from servers. It follows nobody to where packets are not protected.
var client = &http.Client{Timeout: 10 * time.Minute, CheckRedirect: func(req *http.Request, via []*http.Request) error {
	if req.URL.Scheme != "https" || len(via) > 5 {
		return errors.New("leads elsewhere")
	}
	return nil
}}

// A gone input will not come back: its step is dead at once.
type gone struct{ text string }

func (e gone) Error() string { return e.text }

// fetch gives the paths of a step's inputs. Those of servers are copied into a folder.
func (w *Worker) fetch(ctx context.Context, dir string, inputs []Input) (paths []string, err error) {
	for i, in := range inputs {
		to, path := filepath.Join(dir, strconv.Itoa(i)+".pcap"), ""
		switch {
		case strings.HasPrefix(in.Path, bucket.Scheme):
			path, err = to, w.copy(to, &in, func(f *os.File) error { return bucket.Fetch(ctx, in.Path, f) })
			if errors.Is(err, fs.ErrNotExist) {
				err = gone{"there is no such object"}
			}
		case strings.HasPrefix(in.Path, secure):
			path, err = to, w.copy(to, &in, func(f *os.File) error { return download(ctx, f, &in) })
		default:
			path, err = w.local(&in)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Path, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// local is the path of a file below the root, that is as it was submitted.
func (w *Worker) local(in *Input) (string, error) {
	name := filepath.FromSlash(in.Path)
	if filepath.IsAbs(name) {
		var err error
		if name, err = filepath.Rel(w.root.Name(), name); err != nil {
			return "", gone{"is not below --root"}
		}
	}
	if !filepath.IsLocal(name) {
		return "", gone{"is not below --root"}
	}
	st, err := w.root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", err
	case errors.Is(err, fs.ErrNotExist):
		return "", gone{"there is no such file"}
	case err != nil:
		return "", gone{bare(err).Error()}
	case !st.Mode().IsRegular():
		return "", gone{"is no regular file"}
	case st.Size() != in.Size || st.ModTime().Unix() != in.Time.Unix():
		return "", gone{"was changed since it was submitted"}
	}
	return filepath.Join(w.root.Name(), name), nil
}

func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// copy copies an input into a file.
func (w *Worker) copy(to string, in *Input, from func(*os.File) error) error {
	f, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := from(f); err != nil {
		return err
	}
	st, err := f.Stat()
	if err == nil && st.Size() != in.Size {
		err = gone{fmt.Sprintf("has %d bytes, and had %d when it was submitted", st.Size(), in.Size)}
	}
	return err
}

// download copies an input from a server, and goes on where it was cut off.
func download(ctx context.Context, f *os.File, in *Input) (err error) {
	at := int64(0)
	for range 5 {
		var n int64
		n, err = downloadFrom(ctx, f, in, at)
		if at += n; err == nil || errors.As(err, new(gone)) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func downloadFrom(ctx context.Context, f *os.File, in *Input, at int64) (n int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.Path, nil)
	if err != nil {
		return 0, gone{"is no address"}
	}
	if at > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", at))
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusPartialContent:
	case http.StatusOK:
		if _, err := io.CopyN(io.Discard, resp.Body, at); err != nil {
			return 0, err
		}
	case http.StatusNotFound, http.StatusGone, http.StatusForbidden:
		return 0, gone{"the server says " + resp.Status}
	default:
		return 0, fmt.Errorf("the server says %s", resp.Status)
	}
	n, err = io.Copy(f, io.LimitReader(resp.Body, in.Size-at+1))
	if err == nil && at+n < in.Size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
