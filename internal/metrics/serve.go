package metrics

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A Server answers requests with the page that was published last. It never waits for the run.
type Server struct {
	listener *net.TCPListener
	page     atomic.Pointer[published]
	asking   chan struct{} // holds an element for each connection that is open
}

// A published is a page and the time of its publication.
type published struct {
	text []byte
	at   time.Time
}

const (
	mostAsking = 16              // connections at a time
	mostHead   = 8 << 10         // bytes of a request
	answerTime = 5 * time.Second // from the start of a connection until its answer is read
	alive      = time.Minute     // a run whose page is older counts as stuck
)

// Address parses the value of --metrics: an IP address and a port, or a port alone, as in :9464,
// which listens on the loopback address.
func Address(text string) (netip.AddrPort, error) {
	host, port, ok := strings.Cut(text, ":")
	if ok && (host == "" || host == "localhost") && !strings.Contains(port, ":") {
		text = "127.0.0.1:" + port
	}
	at, err := netip.ParseAddrPort(text)
	if err != nil {
		return at, fmt.Errorf("%q: want :PORT, which listens on this machine alone, or an address of IP with a port, as 0.0.0.0:9464", text)
	}
	return at, nil
}

// Listen begins to answer at an address.
func Listen(at netip.AddrPort) (*Server, error) {
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	s := &Server{listener: l, asking: make(chan struct{}, mostAsking)}
	go s.accept()
	return s, nil
}

// Addr is where the server listens.
func (s *Server) Addr() netip.AddrPort { return s.listener.Addr().(*net.TCPAddr).AddrPort() }

// Close ends the server. Answers that have begun are finished.
func (s *Server) Close() { s.listener.Close() }

// Publish makes a page the one that requests get. It must not change any more.
func (s *Server) Publish(p *Page) { s.page.Store(&published{p.b, time.Now()}) }

func (s *Server) accept() {
	for {
		s.asking <- struct{}{}
		c, err := s.listener.AcceptTCP()
		if err != nil {
			<-s.asking
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(10 * time.Millisecond) // too many files are open, say
			continue
		}
		go func() {
			defer func() { c.Close(); <-s.asking }()
			c.SetDeadline(time.Now().Add(answerTime))
			s.answer(c)
		}()
	}
}

// answer reads one request and answers it.
func (s *Server) answer(c io.ReadWriter) {
	r := bufio.NewReader(io.LimitReader(c, mostHead))
	line, err := r.ReadString('\n')
	for l := line; err == nil && strings.TrimRight(l, "\r\n") != ""; {
		l, err = r.ReadString('\n')
	}
	if err != nil {
		return // half a request, or one that is too long
	}
	words := strings.Fields(line)
	if len(words) != 3 || !strings.HasPrefix(words[2], "HTTP/1.") {
		respond(c, "400 Bad Request", "text/plain", []byte("no request of HTTP/1\n"), true)
		return
	}
	status, kind, body := s.resource(words[0], words[1])
	respond(c, status, kind, body, words[0] != "HEAD")
}

// resource gives the answer to a request.
func (s *Server) resource(method, target string) (status, kind string, body []byte) {
	const text = "text/plain; charset=utf-8"
	path, _, _ := strings.Cut(target, "?")
	page := s.page.Load()
	switch {
	case method != "GET" && method != "HEAD":
		return "405 Method Not Allowed", text, []byte("only GET\n")
	case path == "/metrics" && page != nil:
		return "200 OK", "text/plain; version=0.0.4; charset=utf-8", page.text
	case path == "/healthz" && page != nil && time.Since(page.at) < alive:
		return "200 OK", text, []byte("ok\n")
	case path == "/metrics", path == "/healthz":
		return "503 Service Unavailable", text, []byte("no page yet, or none for a minute: the run may be stuck\n")
	}
	return "404 Not Found", text, []byte("there are /metrics and /healthz\n")
}

func respond(w io.Writer, status, kind string, body []byte, whole bool) {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 " + status + "\r\nContent-Type: " + kind + "\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n")
	if whole {
		b.Write(body)
	}
	w.Write(b.Bytes())
}
