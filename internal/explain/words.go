package explain

import (
	"fmt"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A namer knows names of addresses that a user gave them; without a function it knows none.
type namer struct {
	name func(dissect.Endpoint) string
}

// of is the name of an endpoint, "" for none.
func (n *namer) of(e dissect.Endpoint) string {
	if n == nil || n.name == nil {
		return ""
	}
	return n.name(e)
}

// or is the name of an endpoint, or else its address.
func (n *namer) or(e dissect.Endpoint) string {
	if name := n.of(e); name != "" {
		return name
	}
	return e.String()
}

// who names a side for people: by its role, where it has one, and the name that its address
// has.
func (s *subject) who(dir dissect.Dir) string {
	if s.Roles[dir] == "" {
		return s.address(dir)
	}
	role := "the server"
	if dir == s.client() {
		role = "the player"
	}
	if name := s.names.of(s.endpoint(dir)); name != "" {
		return role + " " + name
	}
	return role
}

// client is the side that connected: by its role, else the first that was captured.
func (s *subject) client() dissect.Dir {
	if role := s.Roles[1]; role != "" && role == s.Protocol.Client {
		return 1
	}
	return 0
}

// address is that of a side, or its name.
func (s *subject) address(dir dissect.Dir) string { return s.names.or(s.endpoint(dir)) }

// Who is who at the start of a sentence.
func (s *subject) Who(dir dissect.Dir) string {
	if s.Roles[dir] == "" {
		return s.address(dir) // a name stays as it is
	}
	return capital(s.who(dir))
}

// clock is a time of the connection by the capture's clock, 0 when it has none.
func (s *subject) clock(t int64) Instant {
	if t == 0 || !s.HasTime {
		return 0
	}
	return Instant(t + s.end.Shift)
}

// at is a time of day for people, with tenths of a second.
func (s *subject) at(t int64) string {
	if t == 0 || !s.HasTime {
		return "an unknown time"
	}
	return time.Unix(0, t+s.end.Shift).UTC().Format("15:04:05.0")
}

// in names a packet by its number in the capture, and its time.
func (s *subject) in(x seq.Sign) string {
	return fmt.Sprintf("%s (packet %d)", s.at(x.Time), x.Frame)
}

// span is a duration for people.
func span(ns int64) string {
	switch {
	case ns < 1e9:
		return fmt.Sprintf("%d ms", max(ns/1e6, 1))
	case ns < 60e9:
		return fmt.Sprintf("%.1f s", float64(ns)/1e9)
	}
	return fmt.Sprintf("%d min %d s", ns/60e9, ns%60e9/1e9)
}

// count is a number with its word.
func count[N int | int32 | uint64 | uint8](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// capital begins a sentence.
func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// capitalUnless begins a sentence that nothing stands before.
func capitalUnless(before, s string) string {
	if before != "" {
		return s
	}
	return capital(s)
}
