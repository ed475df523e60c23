package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// fewMessages is how many messages a connection that was declined has at most, where its
// protocol took it first.
const fewMessages = 2

// versionMismatch: it declined, and says that it is for the version, or gives no reason and
// takes others, who have another version, and none who has this one.
func versionMismatch(s *subject) ruling {
	by := s.firstClose()
	if by < 0 || s.State != session.Refused && s.Dir[0].Messages+s.Dir[1].Messages > fewMessages {
		return ruling{}
	}
	r := ruling{certainty: Proved, side: sides[by], at: s.Closing[by], proof: frames(s.FirstFrame)}
	declined := fmt.Sprintf("%s declined the connection at %s", s.Who(by), s.in(r.at))
	if word := s.Protocol.WrongVersion; word != "" && strings.Contains(strings.ToLower(s.Reason), word) {
		r.sentence = fmt.Sprintf("%s because %s speaks another version of the game%s.%s Update the older side.", declined, s.who(by.Other()), s.because(), s.versions(by))
		return r
	}
	atOnce := s.State == session.Refused || r.at.Time-s.FirstTime <= max(s.trip(), 1e9)
	if s.Reason != "" || by != 1 || !s.Complete || !atOnce {
		return ruling{}
	}
	others := s.accepted()
	if others == nil {
		return ruling{}
	}
	r.certainty, r.proof = Likely, frames(s.FirstFrame, others.first)
	r.refute = fmt.Sprintf("a client with version %s that %s takes", s.GameVersion, s.who(by))
	r.sentence = fmt.Sprintf("%s without a reason, most likely for the version of the game.%s Update the older side.", declined, s.versions(by))
	return r
}

// versions tells the version of a client that was declined, and those that were not.
func (s *subject) versions(by dissect.Dir) string {
	if by != 1 || s.GameVersion == "" {
		return ""
	}
	others := s.accepted()
	if others == nil {
		return fmt.Sprintf(" %s has version %s.", s.Who(0), s.GameVersion)
	}
	n := count(others.n, "other client", "other clients")
	return fmt.Sprintf(" %s has version %s, and %s took %s with %s.", s.Who(0), s.GameVersion, s.who(by), n, others.named)
}

// accepted are the clients with other versions of the game that the same server took, nil
// where there are none or it also took one with this version.
func (s *subject) accepted() *taken {
	if s.GameVersion == "" {
		return nil
	}
	all := s.servers[server{s.B, s.Protocol}]
	if all == nil {
		return nil
	}
	return all.until(s.seenUntil(), s.GameVersion)
}

// A server is who takes clients of a protocol.
type server struct {
	dissect.Endpoint
	*dissect.Protocol
}

// clients are those that a server took and that say which version of the game they have.
type clients struct {
	older    uint64           // that are not among times
	times    []int64          // when the others came, ns
	first    uint64           // frame of the first
	versions map[string]int64 // of the game, and when the first of each came, ns
}

// taken are the clients that a server took until a time.
type taken struct {
	n     uint64
	first uint64 // frame of the first
	named string // a few of their versions, for a sentence
}

const (
	// mostVersions is how many versions of a game a sentence names: a server may have seen a
	// thousand.
	mostVersions = 5

	// Bounds of what is remembered of servers: each version is what a client says.
	maxServers  = 4096
	maxVersions = 1024
	maxTimes    = 4096
)

// until gives those that came until a time, in ns; nil where there are none, or one with a
// version.
func (c *clients) until(at int64, version string) *taken {
	if first, ok := c.versions[version]; ok && first <= at {
		return nil
	}
	t := &taken{n: c.older, first: c.first}
	for _, came := range c.times {
		if came <= at {
			t.n++
		}
	}
	var list []string
	for v, first := range c.versions {
		if first <= at {
			list = append(list, v)
		}
	}
	if t.n == 0 || list == nil {
		return nil
	}
	slices.Sort(list)
	if more := len(list) - mostVersions; more > 0 {
		list = append(list[:mostVersions], fmt.Sprintf("and %d more", more))
	}
	t.named = strings.Join(list, ", ")
	return t
}

// byServer are the clients of each server.
func (p *Past) byServer(conns []*session.Conn) map[server]*clients {
	all := make(map[server]*clients, len(p.servers))
	for at, c := range p.servers {
		x := *c
		x.times, x.versions = slices.Clone(c.times), maps.Clone(c.versions)
		all[at] = &x
	}
	for _, c := range conns {
		addClient(all, c)
	}
	return all
}

// addClient adds a connection to those that its server took, if it did and the client says which
// version it has.
func addClient(all map[server]*clients, c *session.Conn) {
	state, _ := c.StateNow()
	if c.GameVersion == "" || state == session.Refused || state < session.Established {
		return
	}
	var opened session.Opener
	opened.Open(c)
	messages := c.Dir[0].Messages + c.Dir[1].Messages
	if opened.Close(); messages <= fewMessages {
		return
	}
	at := server{c.B, c.Protocol}
	x := all[at]
	if x == nil {
		if len(all) >= maxServers {
			return
		}
		x = &clients{first: c.FirstFrame, versions: map[string]int64{}}
		all[at] = x
	}
	if x.times = append(x.times, c.FirstTime); len(x.times) > maxTimes {
		x.older += maxTimes / 2
		x.times = slices.Delete(x.times, 0, maxTimes/2)
	}
	if first, ok := x.versions[c.GameVersion]; ok || len(x.versions) < maxVersions {
		if !ok || c.FirstTime < first {
			x.versions[c.GameVersion] = c.FirstTime
		}
	}
}
