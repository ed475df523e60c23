package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// What lies between both ends of a session: how long a datagram takes at least, and by how much more
// mostly. Of a thousand, so many are missed by the end that has them second, and so many overtaken.
const (
	between  = 8 * time.Millisecond
	jitter   = time.Millisecond
	missed   = 2
	overtook = 5
)

// ends shows what compare costs beside analyze of the same capture.
func ends(o *options) error {
	fmt.Println("| capture, at both ends | `analyze` of one, s | `compare`, s | ratio | `compare` MiB |")
	fmt.Println("|---|---:|---:|---:|---:|")
	for _, name := range []string{"none", "dp4", "hazel", "knet"} {
		k := kindNamed(name)
		a, b := o.path(name+"-a", o.frames), o.path(name+"-b", o.frames)
		if _, err := os.Stat(b); err != nil {
			if _, err := k.make(o, o.frames); err != nil {
				return err
			}
			if err := writeTwoEnds(a, b, o.path(name, o.frames)); err != nil {
				return err
			}
			return again()
		}
		r, err := o.measure([]string{o.bin, "analyze", "--workers", "1", a}, []string{o.bin, "compare", "--workers", "1", a, b})
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.2f | %.2f | %s | %d |\n", k.title, r[0].cpu.Seconds(), r[1].cpu.Seconds(), ratio(r[1].cpu, r[0].cpu), r[1].rss>>10)
	}
	return nil
}

// writeTwoEnds writes a session, captured at its first machine, as both machines capture it.
func writeTwoEnds(a, b, session string) error {
	src, err := capture.Open([]string{session}, capture.Options{})
	if err != nil {
		return err
	}
	defer src.Close()
	var at [2][]capture.Record
	var side []byte     // the source of the first packet
	var latest [2]int64 // arrivals
	dice := rand.New(rand.NewPCG(1, 1))
	for {
		rec, ok := src.NextRecord()
		if !ok {
			break
		}
		first := *rec
		first.Data = slices.Clone(rec.Data)
		second := first
		second.Data = slices.Clone(rec.Data)
		second.Data[22] -= 3 // TTL
		if side == nil {
			side = first.Data[26:30]
		}
		from := 0
		if !bytes.Equal(side, first.Data[26:30]) {
			from = 1
			first.Time -= int64(between)
		}
		second.Time = first.Time + int64(between) + dice.Int64N(int64(jitter))
		if dice.IntN(1000) >= overtook {
			second.Time = max(second.Time, latest[from])
		}
		latest[from] = max(latest[from], second.Time)
		at[from] = append(at[from], first)
		if dice.IntN(1000) >= missed {
			at[1-from] = append(at[1-from], second)
		}
	}
	return errors.Join(writeEnd(a, at[0]), writeEnd(b, at[1]))
}

func writeEnd(path string, list []capture.Record) error {
	slices.SortStableFunc(list, func(a, b capture.Record) int { return int(a.Time - b.Time) })
	f, err := os.CreateTemp(filepath.Dir(path), "dpdissect-bench-*")
	if err != nil {
		return err
	}
	w, err := capture.NewWriter(f, capture.WriterOptions{Format: "pcap", Interfaces: []capture.Interface{{Link: capture.LinkEthernet}}})
	if err != nil {
		return err
	}
	for i := range list {
		err = errors.Join(err, w.Write(&list[i]))
	}
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
