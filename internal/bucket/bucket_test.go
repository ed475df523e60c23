package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// serve plays S3 with one bucket, and gives its objects.
func serve(t *testing.T, refuse bool) map[string]string {
	t.Helper()
	objects := map[string]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.HasPrefix(r.URL.Path, "/there"):
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodPut && refuse:
			w.WriteHeader(http.StatusForbidden)
		case r.Method == http.MethodPut:
			b, _ := io.ReadAll(r.Body)
			objects[r.URL.EscapedPath()] = string(b)
			w.Header().Set("ETag", `"x"`)
		case r.URL.Query().Has("list-type"):
			fmt.Fprint(w, `<ListBucketResult><Name>there</Name>`)
			for key := range objects {
				if key = strings.TrimPrefix(key, "/there/"); strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
					fmt.Fprintf(w, `<Contents><Key>%s</Key><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`, key)
				}
			}
			fmt.Fprint(w, `</ListBucketResult>`)
		case r.Method == http.MethodDelete:
			delete(objects, r.URL.EscapedPath())
			w.WriteHeader(http.StatusNoContent)
		case strings.Count(r.URL.Path, "/") > 2 && !strings.HasSuffix(r.URL.Path, "/"):
			text, ok := objects[r.URL.EscapedPath()]
			if !ok {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.Header().Set("ETag", `"x"`)
			http.ServeContent(w, r, "", time.Unix(1e9, 0), strings.NewReader(text))
		}
	}))
	t.Cleanup(s.Close)
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_REGION", "here")
	t.Setenv("TMPDIR", t.TempDir())
	return objects
}

// TestObjects: a file becomes an object by one PUT when it is complete, and none when it is not; no
// temporary file stays.
func TestObjects(t *testing.T) {
	objects := serve(t, false)
	b, err := Open("s3://there/a/b/")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"ends/point=p%20q/x.parquet", "aborted"} {
		f, err := b.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, "rows"); err != nil {
			t.Fatal(err)
		}
		if len(objects) != 0 && path != "aborted" {
			t.Errorf("it is there before it is complete: %v", objects)
		}
		if path != "aborted" {
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		f.Abort()
	}
	if text, ok := objects["/there/a/b/ends/point%3Dp%2520q/x.parquet"]; len(objects) != 1 || !ok || !strings.Contains(text, "rows") {
		t.Errorf("%q", objects)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%d files stay", len(left))
	}
}

// TestRefused: what a bucket refuses is an error, and so is a bucket that is not there.
func TestRefused(t *testing.T) {
	objects := serve(t, true)
	if _, err := Open("s3://elsewhere"); err == nil || !strings.Contains(err.Error(), "no bucket elsewhere") {
		t.Errorf("a bucket that is not there: %v", err)
	}
	b, err := Open("s3://there")
	if err != nil {
		t.Fatal(err)
	}
	f, err := b.Create("x")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil || !strings.Contains(err.Error(), "s3://there/x") || len(objects) > 0 {
		t.Errorf("refused: %v, %v", err, objects)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	if _, err := Open("s3://there"); err == nil || !strings.Contains(err.Error(), "credentials") {
		t.Errorf("without credentials: %v", err)
	}
	if _, err := Open("s3:///x"); err == nil {
		t.Error("a bucket without a name")
	}
}

// TestObjectsAreRead: an object is looked at and read; one that is not there is no file; those of a step are removed.
func TestObjectsAreRead(t *testing.T) {
	objects := serve(t, false)
	objects["/there/a/x.pcap"] = "packets"
	ctx := context.Background()
	size, at, err := Look(ctx, "s3://there/a/x.pcap")
	if err != nil || size != 7 || !at.Equal(time.Unix(1e9, 0)) {
		t.Errorf("%d bytes of %v, %v", size, at, err)
	}
	var b strings.Builder
	if err := Fetch(ctx, "s3://there/a/x.pcap", &b); err != nil || b.String() != "packets" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if _, _, err := Look(ctx, "s3://there/a/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := Fetch(ctx, "s3://there/a/none", &b); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	clear(objects)
	for _, key := range []string{"ends/p/d1/c.1", "ends/p/d2/c.1", "ends/p/d2/c.2", "ends/q/d1/c.1", "rows/ends/p/d1/c.1"} {
		objects["/there/"+key] = "rows"
	}
	bucket, err := Open("s3://there")
	if err != nil {
		t.Fatal(err)
	}
	if err := cmp.Or(bucket.Answers(ctx), bucket.Remove(ctx, "ends/p/", "/c.1")); err != nil || len(objects) != 3 {
		t.Errorf("%v, %q", err, objects)
	}
}

// TestFencedObjects: where a fence is named an object is put as long as it is there, and none after.
func TestFencedObjects(t *testing.T) {
	objects := serve(t, false)
	b, err := Open("s3://there/rows")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := b.Mark(ctx, ".steps/p/c.1/0"); err != nil || len(objects) != 1 {
		t.Fatalf("%v, %q", err, objects)
	}
	b.Fence(".steps/p/c.1/0")
	put := func() error {
		f, err := b.Create("ends/x")
		if err != nil {
			t.Fatal(err)
		}
		return f.Commit()
	}
	if err := put(); err != nil {
		t.Error(err)
	}
	clear(objects)
	if err := put(); err == nil || len(objects) > 0 {
		t.Errorf("%v, %q", err, objects)
	}
}
