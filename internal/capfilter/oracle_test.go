package capfilter

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the verdicts and messages of capfilter, for which tcpdump must be there")

// linkTypes are those that expressions are tried on.
var linkTypes = []uint32{1, 113, 276, 101, 12, 228, 229, 0, 108, 9, 50}

// manyPackets is the number of packets that an expression is tried on.
const manyPackets = 20000

// expressionTable reads the expressions of the tests.
func expressionTable(t testing.TB) []string {
	text, err := os.ReadFile("testdata/expressions.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(all) < 300 {
		t.Fatalf("only %d expressions", len(all))
	}
	return all
}

// verdicts are what a program says of packets, as text: how many it selects and a
// digest of which.
func verdicts(vm *VM, all []packet) string {
	selected := 0
	bits := make([]byte, (len(all)+7)/8)
	for i, p := range all {
		if vm.Match(p.data, p.wire) {
			selected++
			bits[i/8] |= 1 << (i % 8)
		}
	}
	sum := sha256.Sum256(bits)
	return fmt.Sprintf("%5d %s", selected, hex.EncodeToString(sum[:6]))
}

// refused stands where an expression has no program.
const refused = "refused"

// ours gives the verdicts of our program.
func ours(t testing.TB, expr string, link uint32, all []packet) string {
	prog, err := Compile(expr, link)
	if err != nil {
		return refused
	}
	vm, err := NewVM(prog)
	if err != nil {
		t.Errorf("%s: %v", expr, err)
		return refused
	}
	return verdicts(vm, all)
}

// TestExpressions compares, for every expression of the table and every link
// type, what we select of many packets with what tcpdump's program selected when
// testdata/verdicts was written. TestAgainstTcpdump writes it. What selects nothing
// may be refused.
func TestExpressions(t *testing.T) {
	for _, link := range linkTypes {
		t.Run(fmt.Sprint(link), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(verdictFile(link))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			exprs := expressionTable(t)
			if len(lines) != len(exprs) {
				t.Fatalf("%d verdicts of %d expressions; run with -update", len(lines), len(exprs))
			}
			all := packets(link, manyPackets)
			for i, e := range exprs {
				got, want := ours(t, e, link, all), strings.TrimSpace(lines[i])
				if selectsNone := got == refused && strings.HasPrefix(want, "0 "); !selectsNone && strings.TrimSpace(got) != want {
					t.Errorf("%s: %s, tcpdump %s", e, got, want)
				}
			}
		})
	}
}

func verdictFile(link uint32) string {
	return filepath.Join("testdata", "verdicts", fmt.Sprint(link, ".txt"))
}

// TestAgainstTcpdump compares expressions of the table packet by packet with the
// programs that tcpdump makes of them now, on packets of all kinds and on such that
// take random ways through the programs. One expression in three is asked about, on one
// link type, as TestExpressions knows what tcpdump said of the others, or all of them on
// all link types where DPDISSECT_FILTERS is set.
func TestAgainstTcpdump(t *testing.T) {
	d := newTcpdump(t)
	everywhere := *update || os.Getenv("DPDISSECT_FILTERS") != ""
	for k, link := range linkTypes {
		t.Run(fmt.Sprint(link), func(t *testing.T) {
			t.Parallel()
			all := packets(link, manyPackets)
			var lines strings.Builder
			asked, valid, parted := 0, 0, 0
			for i, e := range expressionTable(t) {
				if !everywhere && i%(3*len(linkTypes)) != k {
					continue
				}
				asked++
				c := compareWith(t, d, e, link, all, 300)
				if c.usual {
					valid++
				}
				if c.parted {
					parted++
				}
				if c.failure+c.wrong != "" {
					t.Errorf("%s: %s%s", e, c.failure, c.wrong)
				} else if !c.ours && c.usual {
					t.Errorf("%s: only we refuse it: %v", e, Check(e))
				}
				fmt.Fprintln(&lines, c.verdicts)
			}
			t.Logf("%d expressions, %d valid, of which tcpdump alone selects packets where we get stuck with %d", asked, valid, parted)
			if *update {
				if err := os.MkdirAll(filepath.Dir(verdictFile(link)), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(verdictFile(link), []byte(lines.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
