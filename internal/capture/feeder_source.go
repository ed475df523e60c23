package capture

import (
	"errors"
	"io"
	"os"
	"time"
)

// growthPause is how long a file that does not grow is left alone.
const growthPause = 20 * time.Millisecond

// errShorter ends a file of which what was read is no longer there.
var errShorter = errors.New("the file became shorter while it was being read")

// A source is where the bytes of a feeder come from. Before it waits for some it has
// everything handed over that was made of those before.
type source struct {
	f     *feeder
	r     io.Reader
	grows bool // its end is not the end
	left  bool // it may have grown on: nobody wanted more
	at    int64
}

func (s *source) Read(b []byte) (int, error) {
	if !s.f.publish() {
		return 0, io.EOF
	}
	s.f.starve()
	n, err := s.r.Read(b)
	for n == 0 && err == io.EOF && s.grows && s.f.wants() {
		if err = s.shorter(); err != nil {
			break
		}
		time.Sleep(growthPause)
		n, err = s.r.Read(b)
	}
	s.at += int64(n)
	s.left = s.grows && err == io.EOF
	s.f.eat(n)
	return n, err
}

// shorter is an error when what was read is no longer there.
func (s *source) shorter() error {
	if file, ok := s.r.(*os.File); ok {
		return shorter(file, s.at)
	}
	return nil
}

// shorter is an error when a regular file has fewer bytes than were read of it.
func shorter(f *os.File, read int64) error {
	st, err := f.Stat()
	if err == nil && st.Mode().IsRegular() && st.Size() < read {
		err = errShorter
	}
	return err
}

// starve notes that it waits for bytes from now on.
func (f *feeder) starve() {
	f.mu.Lock()
	f.starves = time.Now()
	f.mu.Unlock()
}

// eat notes that so many bytes came.
func (f *feeder) eat(n int) {
	f.mu.Lock()
	f.traffic.add(n, time.Now())
	f.starves = time.Time{}
	f.mu.Unlock()
}

// wants reports whether a file that grows is to be followed still.
func (f *feeder) wants() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.stopped && !f.closed
}

// What tells a file that is piped from packets that are captured at this time: many
// bytes within a second, and old packets.
const (
	bulkBytes = 32 << 10 // half of what a pipe holds
	bulkTime  = time.Second
	bulkAge   = 10 * time.Second
)

// traffic is how bytes come.
type traffic struct {
	bytes  float64 // lately: what came before fades within bulkTime
	at     time.Time
	recent bool // the latest packet was captured a moment ago
}

// add counts bytes.
func (t *traffic) add(n int, now time.Time) {
	fade := 1 - float64(now.Sub(t.at))/float64(bulkTime)
	t.bytes, t.at = t.bytes*max(0, fade)+float64(n), now
}

// see looks at the times of packets.
func (t *traffic) see(p *packetBatch) {
	if n := len(p.packets); n > 0 && p.packets[n-1].rec.HasTime {
		age := time.Since(time.Unix(0, p.packets[n-1].rec.Time))
		t.recent = age.Abs() < bulkAge
	}
}

func (t *traffic) bulk() bool { return !t.recent && t.bytes >= bulkBytes }
