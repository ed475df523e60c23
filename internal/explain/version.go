package explain

import (
	"fmt"
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
		r.sentence = fmt.Sprintf("%s because %s speaks another version of the game%s.%s Update the older side.", declined, s.who(1-by), s.because(), s.versions(by))
		return r
	}
	atOnce := s.State == session.Refused || r.at.Time-s.FirstTime <= max(s.trip(), 1e9)
	if s.Reason != "" || by != 1 || !s.Complete || !atOnce || len(s.accepted()) == 0 {
		return ruling{}
	}
	r.certainty, r.proof = Likely, frames(s.FirstFrame, s.accepted()[0].FirstFrame)
	r.refute = fmt.Sprintf("a client with version %s that %s takes", s.GameVersion, s.who(by))
	r.sentence = fmt.Sprintf("%s without a reason, most likely for the version of the game.%s Update the older side.", declined, s.versions(by))
	return r
}

// versions tells the version of a client that was declined, and those that were not.
func (s *subject) versions(by int) string {
	if by != 1 || s.GameVersion == "" {
		return ""
	}
	var others []string
	for _, n := range s.accepted() {
		others = append(others, n.GameVersion)
	}
	if len(others) == 0 {
		return fmt.Sprintf(" %s has version %s.", s.Who(0), s.GameVersion)
	}
	n := count(len(others), "other client", "other clients")
	slices.Sort(others)
	return fmt.Sprintf(" %s has version %s, and %s took %s with %s.", s.Who(0), s.GameVersion, s.who(by), n, strings.Join(slices.Compact(others), ", "))
}

// accepted are the connections that the same server took of clients with other versions of
// the game, nil where it also took one with this version.
func (s *subject) accepted() (all []*session.Conn) {
	if s.GameVersion == "" {
		return nil
	}
	for _, n := range s.servers[s.B] {
		switch {
		case n == s.Conn || n.Protocol != s.Protocol || n.State == session.Refused || n.State < session.Established || n.Dir[0].Messages+n.Dir[1].Messages <= fewMessages:
		case n.GameVersion == s.GameVersion:
			return nil
		default:
			all = append(all, n)
		}
	}
	return all
}

// byServer are the connections whose client says which version of the game it has, by their
// server.
func byServer(conns []*session.Conn) map[dissect.Endpoint][]*session.Conn {
	all := map[dissect.Endpoint][]*session.Conn{}
	for _, c := range conns {
		if c.GameVersion != "" {
			all[c.B] = append(all[c.B], c)
		}
	}
	return all
}
