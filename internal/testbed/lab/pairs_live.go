package lab

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/internal/testbed/pairs"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A LiveSession is a real session that was captured at both sides, with what the relay between
// them logged.
type LiveSession struct {
	Name    string
	Files   [2]string
	Log     *tracegen.WireLog
	Address string                    `json:"server_address"`
	Relayed map[string]map[string]int `json:"relay_fates"` // by "address to server" and "address to client"

	Troubled  []string
	TrueCause string `json:"true_cause"`
	TrueSide  string `json:"true_side"`
	liveEnd
	Client, Server *liveEnd
}

// A liveEnd is what may be said of how a session ended by who captures at one place.
type liveEnd struct {
	Cause, Side  string
	Accept       []string
	Sides        []string `json:"accept_side"`
	Contributing []string
	MustNot      []string `json:"must_not_claim"`
}

// truths are what may be said by the client, the server and both: these the truth, and what
// is right at either place.
func (s *LiveSession) truths() (all [nSayers]tracegen.EndTruth) {
	for by, at := range []*liveEnd{s.Client, s.Server} {
		if at == nil {
			at = &s.liveEnd
		}
		t := tracegen.EndTruth{Name: s.Name, A: s.Troubled[0], B: s.Address, Must: at.Contributing, MustNot: at.MustNot, Decidable: true}
		for _, cause := range append([]string{at.Cause}, at.Accept...) {
			t.Accept = append(t.Accept, tracegen.EndVerdict{Cause: cause, Sides: at.Sides})
		}
		all[by] = t
	}
	both := all[byClient]
	both.Accept = []tracegen.EndVerdict{{Cause: s.TrueCause, Sides: []string{s.TrueSide}}}
	for _, v := range all[byClient].Accept {
		for _, side := range v.Sides {
			if accepts(all[byServer].Accept, v.Cause, side) {
				both.Accept = append(both.Accept, tracegen.EndVerdict{Cause: v.Cause, Sides: []string{side}})
			}
		}
	}
	all[byBoth] = both
	return all
}

// LiveEnds tells what is said of the ends of real sessions.
func LiveEnds(o PairOptions) (all []*PairedEnd) {
	for _, s := range o.Live {
		e := &PairedEnd{Run: EndRun{&tracegen.EndCase{Kind: "live", Event: s.Name}, "both", 0, 1}}
		all = append(all, e)
		p := pairs.Take(s.Log, pairs.Plan{At: [2]sim.Place{0, 1}}, 1)
		said, err := CompareFiles(o.Program, s.Files[0], s.Files[1])
		if err == nil {
			err = e.judge(p, s.truths(), said)
		}
		e.Err = err
	}
	return all
}

// LiveSessions reads NAME.client.pcap.gz, NAME.server.pcap.gz and NAME.truth.json of a folder.
func LiveSessions(folder string) (all []*LiveSession, err error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.client.pcap.gz"))
	if err != nil {
		return nil, err
	}
	for _, client := range names {
		prefix := strings.TrimSuffix(client, ".client.pcap.gz")
		s := &LiveSession{Name: filepath.Base(prefix), Files: [2]string{client, prefix + ".server.pcap.gz"}}
		text, err := os.ReadFile(prefix + ".truth.json")
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, s); err != nil {
			return nil, err
		}
		address, err := netip.ParseAddrPort(s.Address)
		if err != nil {
			return nil, err
		}
		if s.Log, err = pairs.Live(s.Files[0], s.Files[1], address); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// liveScenes are those that need no session of their own.
var liveScenes = []string{"plain", "router", "proxy", "snaplen", "misses-0.1", "misses-2", "misses-20", "bursts-0.1", "bursts-2", "bursts-20", "overlap", "swapped", "drift", "step", "steps", "everything"}

// liveRuns are real sessions under the conditions of scenes.
func (o PairOptions) liveRuns() (all []PairRun) {
	for i := range pairScenes {
		if !slices.Contains(liveScenes, pairScenes[i].name) {
			continue
		}
		for _, s := range o.Live {
			for seed := range uint64(o.Seeds) {
				r := PairRun{Proto: s.Name, Scene: pairScenes[i].name, Seed: max(o.First, 1) + seed, Live: s.Log}
				if strings.HasPrefix(r.Name(), o.Only) || o.Only == r.Scene {
					all = append(all, r)
				}
			}
		}
	}
	return all
}
