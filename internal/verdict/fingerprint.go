package verdict

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// A Shape is what of a finding stays the same when the scenario is captured again:
// no frame, no time, no number, no address and no port of a client.
type Shape struct {
	Rule     string `json:"rule"`
	Protocol string `json:"protocol,omitempty"`
	Port     uint16 `json:"port,omitempty"` // of the server
	Side     string `json:"side,omitempty"` // role of the side at fault, else "server-port" or "other-port"
	Message  string `json:"message"`
}

// ShapeOf gives the shape of a finding.
func ShapeOf(f *session.Finding) Shape {
	s := placeOf(f)
	s.Message = plainMessage(f.Message)
	return s
}

// Place is a digest of the shape of a finding without its message.
func Place(f *session.Finding) string {
	s := placeOf(f)
	return s.Fingerprint()
}

func placeOf(f *session.Finding) Shape {
	s := Shape{Rule: f.Rule.ID}
	if f.Conn != nil {
		s.Protocol = f.Conn.Protocol.Name
		server := serverSide(f.Conn)
		if server >= 0 {
			s.Port = [2]dissect.Endpoint{f.Conn.A, f.Conn.B}[server].Port
		}
		s.Side = sideOf(f, server)
	}
	return s
}

// serverSide is the side that waits on a known port, 0 or 1, -1 when nothing tells.
func serverSide(c *session.Conn) int {
	for i, role := range c.Roles {
		if role != "" && role != c.Protocol.Client {
			return i
		}
	}
	a, b := slices.Contains(c.Protocol.Ports, c.A.Port), slices.Contains(c.Protocol.Ports, c.B.Port)
	switch {
	case a != b && a, a == b && c.A.Port < c.B.Port:
		return 0
	case a != b, c.B.Port < c.A.Port:
		return 1
	}
	return -1
}

func sideOf(f *session.Finding, server int) string {
	if f.Dir != session.SideA && f.Dir != session.SideB {
		return ""
	}
	i := int(f.Dir - session.SideA)
	switch {
	case f.Conn.Roles[i] != "":
		return f.Conn.Roles[i]
	case server < 0:
		return ""
	case i == server:
		return "server-port"
	}
	return "other-port"
}

// key is the shape as one text.
func (s *Shape) key() string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%s\x00%s", s.Rule, s.Protocol, s.Port, s.Side, s.Message)
}

// Fingerprint is a digest of the shape, 16 hex digits.
func (s *Shape) Fingerprint() string { return digest(s.key()) }

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

var (
	quoted   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	octets   = regexp.MustCompile(`\b(?:0[xX][0-9a-fA-F]+|[0-9a-fA-F]{2}(?:[ :][0-9a-fA-F]{2})+)\b`)
	decimals = regexp.MustCompile(`[-−]?\b[0-9][0-9a-fA-F]*(?:[.,][0-9]+)*`)
	hexWord  = regexp.MustCompile(`\b[0-9a-f]*[0-9][0-9a-f]*\b`)
	measures = regexp.MustCompile(`# ?(?:ns|µs|us|ms|min|s|h|B|kB|MB|GB|%)\b`)
	series   = regexp.MustCompile(`#(?:(?:, and |, or |, | and | or | to |–|-|/|…|\.\.|:)+#)+`)
	plural   = regexp.MustCompile(`# ([a-z]{3,})s\b`)
)

// plainMessage takes out of a message what another capture of the same fault would
// say otherwise: addresses, numbers, lists of numbers, and what packets say.
func plainMessage(m string) string {
	words := strings.Fields(m)
	for i, w := range words {
		bare := strings.Trim(w, "(),;")
		if ap, err := netip.ParseAddrPort(bare); err == nil && ap.IsValid() {
			words[i] = strings.Replace(w, bare, "#", 1)
		} else if a, err := netip.ParseAddr(strings.TrimSuffix(bare, ":")); err == nil && a.IsValid() {
			words[i] = strings.Replace(w, bare, "#", 1)
		}
	}
	m = quoted.ReplaceAllString(strings.Join(words, " "), `"…"`)
	for _, r := range []*regexp.Regexp{octets, decimals, hexWord} {
		m = r.ReplaceAllString(m, "#")
	}
	m = measures.ReplaceAllString(m, "#")
	m = series.ReplaceAllString(m, "#")
	return plural.ReplaceAllStringFunc(m, singular)
}

// singular makes "# retry" of "# retries".
func singular(s string) string {
	if stem, ok := strings.CutSuffix(s, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(s, "s")
}
