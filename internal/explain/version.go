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
	if strings.Contains(strings.ToLower(s.Reason), "version") {
		r.sentence = fmt.Sprintf("%s because %s speaks another version of the game%s.%s Update the older side.", declined, s.who(by.Other()), s.because(), s.versions(by))
		return r
	}
	atOnce := s.State == session.Refused || r.at.Time-s.FirstTime <= max(s.trip(), 1e9)
	if s.Reason != "" || by != 1 || !s.Complete || !atOnce || s.accepted() == nil {
		return ruling{}
	}
	r.certainty, r.proof = Likely, frames(s.FirstFrame, s.accepted().first.FirstFrame)
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
func (s *subject) accepted() *clients {
	if s.GameVersion == "" {
		return nil
	}
	all := s.servers[server{s.B, s.Protocol}]
	if all == nil || all.versions[s.GameVersion] {
		return nil
	}
	return all
}

// A server is who takes clients of a protocol.
type server struct {
	dissect.Endpoint
	*dissect.Protocol
}

// clients are those that a server took and that say which version of the game they have.
type clients struct {
	n        uint64
	first    *session.Conn
	versions map[string]bool
	named    string // a few of the versions, for a sentence
}

// mostVersions is how many versions of a game a sentence names: a server may have seen a
// thousand, and decline a thousand clients.
const mostVersions = 5

// name puts a few of the versions into words, once for all clients that were declined.
func (c *clients) name() {
	list := slices.Sorted(maps.Keys(c.versions))
	if more := len(list) - mostVersions; more > 0 {
		list = append(list[:mostVersions], fmt.Sprintf("and %d more", more))
	}
	c.named = strings.Join(list, ", ")
}

// byServer are the clients of each server.
func byServer(conns []*session.Conn) map[server]*clients {
	all := map[server]*clients{}
	var opened session.Opener
	for _, c := range conns {
		if c.GameVersion == "" || c.State == session.Refused || c.State < session.Established {
			continue
		}
		opened.Open(c)
		messages := c.Dir[0].Messages + c.Dir[1].Messages
		if opened.Close(); messages <= fewMessages {
			continue
		}
		at := server{c.B, c.Protocol}
		if all[at] == nil {
			all[at] = &clients{first: c, versions: map[string]bool{}}
		}
		all[at].n++
		all[at].versions[c.GameVersion] = true
	}
	for _, c := range all {
		c.name()
	}
	return all
}
