package lab

import (
	"os"
	"path/filepath"
	"testing"
	"fmt"
	"sort"

	"github.com/dpdissect/dpdissect/session"
)

func TestScratchPcaps(t *testing.T) {
	files, _ := filepath.Glob("/work/shared/pcaps/hazel/*.pcap")
	for _, p := range files {
		f, _ := os.Open(p)
		all, err := readAll(f)
		if err != nil { t.Fatal(err) }
		cfg := session.Config{Protocols: every, Inconclusive: true}
		r := check(all, cfg)
		fmt.Println("==", p, len(all))
		inc := map[string]int{}
		for _, f := range r.Findings {
			if !f.Rule.Accuses() { continue }
			if f.Failed() { fmt.Println("FAIL", f.Severity, f.Rule.ID, f.Frame, f.Message) } else { inc[f.Rule.ID+" "+f.Guard.String()]++ }
		}
		fmt.Println("inconclusive", inc)
		var ids []string
		for id := range r.Tallies { ids = append(ids, id) }
		sort.Strings(ids)
		for _, id := range ids { if id[:3]=="HZ-" { fmt.Print(id, " ", r.Tallies[id].Pass, "; ") } }
		fmt.Println()
	}
}
