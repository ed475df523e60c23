package metrics

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func listening(t testing.TB) *Server {
	t.Helper()
	at, err := Address(":0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Listen(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// TestServer: a client of HTTP gets the page that was published last, and is told when there is none.
func TestServer(t *testing.T) {
	s := listening(t)
	ask := func(method, path string) (status int, body string) {
		req, err := http.NewRequest(method, fmt.Sprintf("http://%s%s", s.Addr(), path), nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	for _, path := range []string{"/metrics", "/healthz"} {
		if status, _ := ask("GET", path); status != 503 {
			t.Errorf("%s before a page: %d", path, status)
		}
	}
	p := new(Page)
	p.Gauge("x", "A\nB\\C.").Set(0.5, "point", "a\"b\\c\nd\xff")
	s.Publish(p)
	const want = "# HELP x A\\nB\\\\C.\n# TYPE x gauge\nx{point=\"a\\\"b\\\\c\\nd\uFFFD\"} 0.5\n"
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/metrics", 200, want}, {"GET", "/metrics?x=y", 200, want}, {"HEAD", "/metrics", 200, ""}, {"GET", "/healthz", 200, "ok\n"},
		{"POST", "/metrics", 405, "only GET\n"}, {"GET", "/", 404, "there are /metrics and /healthz\n"},
	} {
		if status, body := ask(c.method, c.path); status != c.status || body != c.body {
			t.Errorf("%s %s: %d %q, want %d %q", c.method, c.path, status, body, c.status, c.body)
		}
	}
	s.page.Load().at = time.Now().Add(-alive)
	if status, _ := ask("GET", "/healthz"); status != 503 {
		t.Errorf("the run is stuck, /healthz says %d", status)
	}
}

// A dialogue is a connection with what comes of it.
type dialogue struct {
	io.Reader
	io.Writer
}

// TestRequestsThatAreNone: what is no request, or too long a one, gets no page.
func TestRequestsThatAreNone(t *testing.T) {
	s := new(Server)
	s.Publish(new(Page))
	for _, text := range []string{"", "GET", "GET /metrics HTTP/1.1\r\n", "\r\n\r\n", "GET /metrics\r\n\r\n", "GET /metrics SIP/2.0\r\n\r\n", "\x16\x03\x01\x00\r\n\r\n",
		"GET /metrics HTTP/1.1\r\nX: " + strings.Repeat("x", mostHead) + "\r\n\r\n"} {
		var b strings.Builder
		s.answer(dialogue{strings.NewReader(text), &b})
		if strings.HasPrefix(b.String(), "HTTP/1.1 200") {
			t.Errorf("%.40q: %q", text, b.String())
		}
	}
}

// TestScrape: a scrape costs at most 1 ms, while the run publishes, and others leave half a request.
func TestScrape(t *testing.T) {
	s := listening(t)
	for range mostAsking - 1 {
		c, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.Write([]byte("GET /met"))
	}
	p := new(Page)
	m := p.Counter("dpdissect_x_total", "X.")
	for i := range 2000 {
		m.Set(float64(i), "rule", fmt.Sprint("DP8-3.1.5-DISPATCH-", i), "severity", "error")
	}
	s.Publish(p)
	client := http.Client{Timeout: 2 * time.Second}
	least := time.Hour
	for range 20 {
		began := time.Now()
		res, err := client.Get("http://" + s.Addr().String() + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		n, _ := io.Copy(io.Discard, res.Body)
		res.Body.Close()
		least = min(least, time.Since(began))
		if n < 50_000 {
			t.Fatalf("%d bytes", n)
		}
	}
	if t.Logf("2,000 series in %v", least); least > time.Millisecond {
		t.Errorf("a scrape took %v", least)
	}
}

// TestAddress: a port alone is on this machine alone; names are none.
func TestAddress(t *testing.T) {
	for text, want := range map[string]string{":9464": "127.0.0.1:9464", "localhost:1": "127.0.0.1:1", "0.0.0.0:9464": "0.0.0.0:9464", "[::1]:9464": "[::1]:9464",
		"9464": "", "": "", "example.org:80": "", ":x": "", "::1:80": ""} {
		at, err := Address(text)
		if (err == nil) != (want != "") || err == nil && at.String() != want {
			t.Errorf("%q: %v, %v", text, at, err)
		}
	}
}
