package capfilter

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

func TestDev(t *testing.T) {
	path := os.Getenv("EXPRS")
	if path == "" {
		t.Skip()
	}
	link := uint32(1)
	if s := os.Getenv("LINK"); s != "" {
		n, _ := strconv.Atoi(s)
		link = uint32(n)
	}
	d := newTcpdump(t)
	f, _ := os.Open(path)
	sc := bufio.NewScanner(f)
	same, weRefuse, bothRefuse := 0, 0, 0
	for sc.Scan() {
		e := sc.Text()
		theirs, refusal := d.program(t, e, link)
		ours, err := Compile(e, link)
		switch {
		case refusal != "" && err != nil:
			bothRefuse++
			if os.Getenv("V") != "" {
				fmt.Printf("BOTH   %-40s | %s | %v\n", e, refusal, err)
			}
			continue
		case refusal != "":
			fmt.Printf("ACCEPT %s: tcpdump: %s\n", e, refusal)
			continue
		case err != nil:
			weRefuse++
			fmt.Printf("REFUSE %s: %v\n", e, err)
			continue
		}
		vt, err := NewVM(theirs)
		if err != nil {
			fmt.Println("VMT", e, err)
			continue
		}
		vo, err := NewVM(ours)
		if err != nil {
			fmt.Println("VMO", e, err)
			continue
		}
		r := rand.New(rand.NewPCG(1, 2))
		bad := 0
		yes := 0
		for i := range 3000 {
			prog := theirs
			if i%2 == 0 {
				prog = ours
			}
			p := steered(r, prog, nil)
			a, b := vt.Match(p.data, p.wire), vo.Match(p.data, p.wire)
			if a {
				yes++
			}
			if a != b {
				bad++
			}
		}
		if bad > 0 {
			fmt.Printf("DIFF %s: %d\n", e, bad)
			if os.Getenv("V") != "" {
				for i, in := range ours {
					fmt.Println(i, in)
				}
			}
		} else {
			same++
			if len(ours) > len(theirs) {
				fmt.Println("LONGER", e, len(ours), len(theirs))
			}
		}
		if yes == 0 || yes == 3000 {
			fmt.Println("ONESIDED", e, yes)
		}
	}
	fmt.Println("same", same, "weRefuse", weRefuse, "both", bothRefuse)
}

func TestDevWrite(t *testing.T) {
	path := os.Getenv("WRITE")
	if path == "" {
		t.Skip()
	}
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	n, _ := strconv.Atoi(os.Getenv("N"))
	x := expressions{rand.New(rand.NewPCG(seed, 0)), 1}
	f, _ := os.Create(path)
	for _, e := range x.many(n) {
		fmt.Fprintln(f, e)
	}
	f.Close()
}
