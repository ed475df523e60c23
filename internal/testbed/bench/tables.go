package main

import (
	"fmt"
	"io"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// besideTcpdump compares with tcpdump on each kind of capture.
func besideTcpdump(o *options) error {
	fmt.Println("| capture | tcpdump ns/frame | `analyze` ns/frame | `analyze` / tcpdump | `check` / `analyze` | `decode` / `analyze` | `decode --format ndjson` / `analyze` | `analyze` MiB |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|")
	for i := range kinds {
		k := &kinds[i]
		path := o.path(k.name, o.frames)
		commands := [][]string{{"tcpdump", "-n", "-q", "-tt", "-r", path}, o.own(path, 1, "analyze")}
		if k.ours {
			commands = append(commands, o.own(path, 1, "check"), o.own(path, 1, "decode"), o.own(path, 1, "decode", "--format", "ndjson"))
		}
		r, err := o.measure(commands...)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.0f | %.0f | %s |", k.title, perFrame(r[0].cpu, o.frames), perFrame(r[1].cpu, o.frames), ratio(r[1].cpu, r[0].cpu))
		for i := 2; i < 5; i++ {
			if i < len(r) {
				fmt.Printf(" %s |", ratio(r[i].cpu, r[1].cpu))
			} else {
				fmt.Print(" |")
			}
		}
		fmt.Printf(" %d |\n", r[1].rss/1024)
	}
	return nil
}

// besideTheRest compares with other readers on one capture.
func besideTheRest(o *options) error {
	all, few := o.path("none", o.frames), o.path("none", o.few)
	fmt.Println("| command | frames | CPU ns/frame | frames per CPU second | MiB |")
	fmt.Println("|---|---:|---:|---:|---:|")
	for _, j := range []struct {
		name   string
		frames int
		args   []string
	}{
		{"dpdissect analyze", o.frames, o.own(all, 1, "analyze")},
		{"dpdissect decode", o.frames, o.own(all, 1, "decode")},
		{"dpdissect decode -Y 'dp8.seq == 7'", o.frames, o.own(all, 1, "decode", "-Y", "dp8.seq == 7")},
		{"dpdissect decode --format ndjson", o.frames, o.own(all, 1, "decode", "--format", "ndjson")},
		{"dpdissect messages --format ndjson", o.frames, o.own(all, 1, "messages", "--format", "ndjson")},
		{"dpdissect decode -V", o.few, o.own(few, 1, "decode", "-V")},
		{"tshark", o.frames, []string{"tshark", "-n", "-r", all}},
		{"tshark -Y 'udp[10] == 7'", o.few, []string{"tshark", "-n", "-Y", "udp[10] == 7", "-r", few}},
		{"tshark -T json", o.few, []string{"tshark", "-n", "-T", "json", "-r", few}},
		{"tshark -V", o.few, []string{"tshark", "-n", "-V", "-r", few}},
		{"tshark -q -z conv,udp", o.frames, []string{"tshark", "-n", "-q", "-z", "conv,udp", "-r", all}},
		{"tcpdump -n -q -tt", o.frames, []string{"tcpdump", "-n", "-q", "-tt", "-r", all}},
		{"capinfos -c -M", o.frames, []string{"capinfos", "-c", "-M", all}},
	} {
		r, err := o.measure(j.args)
		if err != nil {
			return err
		}
		if r[0].cpu == 0 {
			fmt.Printf("| `%s` | | not installed | | |\n", j.name)
			continue
		}
		ns := perFrame(r[0].cpu, j.frames)
		fmt.Printf("| `%s` | %d | %.0f | %.0f | %d |\n", j.name, j.frames, ns, 1e9/ns, r[0].rss/1024)
	}
	return nil
}

// workers compares one worker with two.
func workers(o *options) error {
	fmt.Println("| capture | one worker, s | two workers, s | times faster | CPU of two / of one |")
	fmt.Println("|---|---:|---:|---:|---:|")
	for i := range kinds {
		k := &kinds[i]
		path := o.path(k.name, o.frames)
		r, err := o.measure(o.own(path, 1, "analyze"), o.own(path, 2, "analyze"))
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.3f | %.3f | %s | %s |\n", k.title, r[0].wall.Seconds(), r[1].wall.Seconds(), ratio(r[0].wall, r[1].wall), ratio(r[1].cpu, r[0].cpu))
	}
	return nil
}

// byConnections shows what connections cost, each of as many frames as all of a capture.
func byConnections(o *options) error {
	fmt.Printf("| connections in %d frames | CPU ns/frame | MiB |\n|---:|---:|---:|\n", o.frames)
	for _, n := range sweep {
		k := many(n)
		r, err := o.measure(o.own(o.path(k.name, o.frames), 1, "analyze", "--format", "json"))
		if err != nil {
			return err
		}
		fmt.Printf("| %d | %.0f | %d |\n", n, perFrame(r[0].cpu, o.frames), r[0].rss/1024)
	}
	return nil
}

// byPackets shows that what a frame costs, and memory, do not follow the length of a
// capture.
func byPackets(o *options) error {
	fmt.Println("| capture, through standard input | frames | CPU ns/frame | MiB |")
	fmt.Println("|---|---:|---:|---:|")
	for _, k := range []kind{big("none", "DirectPlay 8, unsigned"), big("hazel", "Hazel, current")} {
		for _, n := range []int{1_000_000, 10_000_000, 50_000_000} {
			if n > o.most {
				continue
			}
			r, err := once(o.own("-", 1, "analyze", "--format", "json"), func(w io.Writer) error {
				_, err := tracegen.Big(w, n, 1, k.name)
				return err
			})
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %d | %.0f | %d |\n", k.title, n, perFrame(r.cpu, n), r.rss/1024)
		}
	}
	return nil
}
