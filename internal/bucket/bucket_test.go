package bucket

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
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
