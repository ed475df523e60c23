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
)

// A LiveSession is a real session that was captured at both sides, with what the relay between
// them logged.
type LiveSession struct {
	Name    string
	Files   [2]string
	Log     *tracegen.WireLog
	Server  string                    `json:"server_address"`
	Relayed map[string]map[string]int `json:"relay_fates"` // by "address to server" and "address to client"
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
		address, err := netip.ParseAddrPort(s.Server)
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
