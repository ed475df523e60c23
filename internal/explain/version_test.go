package explain

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestVersionsAreFew: a server that saw a thousand versions is told in a few words, however
// many clients it declines.
func TestVersionsAreFew(t *testing.T) {
	c := clients{versions: map[string]int64{}}
	for i := range int64(1000) {
		c.times = append(c.times, i)
		c.versions[fmt.Sprintf("2024.%04d", i)] = i
	}
	const five = "2024.0000, 2024.0001, 2024.0002, 2024.0003, 2024.0004"
	if x := c.until(mostVersions-1, ""); x.n != mostVersions || x.named != five {
		t.Errorf("%+v", x)
	}
	if x := c.until(2000, ""); x.n != 1000 || x.named != five+", and 995 more" {
		t.Errorf("%+v", x)
	}
}

// TestVersionsAreBounded: what clients say of their versions takes no memory without end.
func TestVersionsAreBounded(t *testing.T) {
	var p Past
	p.Forget(&session.Conn{}) // of no version
	all := map[server]*clients{}
	for i := range 3 * maxTimes {
		dirs := new([2]seq.Direction)
		dirs[0].Messages = fewMessages + 1
		c := &session.Conn{State: session.Established, GameVersion: fmt.Sprint(i), FirstTime: int64(i), FirstFrame: uint64(i + 1), Dir: dirs}
		addClient(all, c)
		c.B.Port = uint16(i)
		addClient(all, c)
	}
	x := all[server{}]
	if len(x.versions) != maxVersions || len(x.times) > maxTimes || x.older+uint64(len(x.times)) < 3*maxTimes || len(all) > maxServers {
		t.Errorf("%d versions, %d times and %d older, %d servers", len(x.versions), len(x.times), x.older, len(all))
	}
}

// TestVersionsUntil: who came later than ten minutes after a client tells nothing of it.
func TestVersionsUntil(t *testing.T) {
	c := clients{times: []int64{5, 9}, versions: map[string]int64{"1": 5, "2": 9}}
	if x := c.until(8, "2"); x == nil || x.n != 1 || x.named != "1" {
		t.Errorf("before a client with its version came: %+v", x)
	}
	if x := c.until(9, "2"); x != nil {
		t.Errorf("once one came: %+v", x)
	}
	if x := c.until(4, "3"); x != nil {
		t.Errorf("before any came: %+v", x)
	}
}

// TestReasonsWithoutVersion: where a protocol has no word for another version of the game, no reason
// speaks of one.
func TestReasonsWithoutVersion(t *testing.T) {
	for _, reason := range []string{"", "wrong version"} {
		s := established()
		s.Protocol = &dissect.Protocol{Name: "tp", Client: "client"}
		s.Reason = reason
		s.closes(1, 3, 0.1)
		if r := versionMismatch(s); r.sentence != "" {
			t.Errorf("%q: %s", reason, r.sentence)
		}
	}
}
