package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// everyForm says, as "all" in DPDISSECT_FORMS, that every form is tried on every capture; make
// soak says so. Otherwise each capture has its turn with some of them.
const everyForm = "DPDISSECT_FORMS"

// formsPerCapture is the number of forms tried on each capture where not all are.
const formsPerCapture = 2

// formsFor are the forms whose turn it is.
func formsFor(turn int) (chosen []form) {
	all := forms()
	if os.Getenv(everyForm) == "all" {
		return all
	}
	for i := range formsPerCapture {
		chosen = append(chosen, all[(turn+i*(len(all)/formsPerCapture))%len(all)])
	}
	return chosen
}

// hasTurn reports whether it is the turn of one among so many, which it always is where every form is tried.
func hasTurn(i, among int) bool { return i%among == 0 || os.Getenv(everyForm) == "all" }

// checkWorkers runs a form on a capture with one worker, which is the default, and with others,
// which must print the same.
func checkWorkers(t *testing.T, f form, path string, workers ...string) {
	t.Helper()
	one := f.print(t, path)
	if err := one.fault(); err != nil {
		t.Errorf("%s %s: %v", f, path, err)
	}
	for _, n := range workers {
		if f.command == "protocols" || f.command == "redact" {
			continue // the first has one; no two runs of the other are alike without a key: TestRedactKeyFile
		}
		if many := f.print(t, path, "--workers", n); many.all() != one.all() {
			t.Errorf("%s --workers %s %s: differs at line %s", f, n, path, difference(many.all(), one.all()))
		}
	}
}

// TestOutputOfWorkers: no number of workers changes a byte of what any command prints of any
// capture, in any format.
func TestOutputOfWorkers(t *testing.T) {
	t.Parallel()
	all := append(captures(t), madeCaptures(t)...)
	for turn, path := range all {
		t.Run(filepath.Base(path), func(t *testing.T) {
			for _, f := range formsFor(turn * 7) {
				if os.Getenv(everyForm) == "all" {
					checkWorkers(t, f, path, "2", "4")
				} else {
					checkWorkers(t, f, path, []string{"2", "4"}[turn%2])
				}
			}
		})
	}
}

// madeCaptures are captures of what traces do not have: numbers far from all others that turn
// out to be right, and times that are years apart.
func madeCaptures(t testing.TB) []string {
	t.Helper()
	return []string{
		farCapture(t),
		timedCapture(t, "slow.pcapng", func(i int, at uint64) uint64 { return at + uint64(i)<<40 }),
		timedCapture(t, "years.pcapng", func(i int, at uint64) uint64 { return at + uint64(i)<<57 }),
		timedCapture(t, "backward.pcapng", func(i int, at uint64) uint64 { return at - uint64(i)<<56 }),
		timedCapture(t, "leap.pcapng", func(i int, at uint64) uint64 { return uint64(i/20) * math.MaxInt64 }),
		timedCapture(t, "both.pcapng", func(i int, at uint64) uint64 { return uint64(i%2)<<63 - uint64(i%2) + uint64(i+1)%2<<63 }),
	}
}

// keepCapture writes packets to a file.
func keepCapture(t testing.TB, name string, packets []excerpt.Packet) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, excerpt.AsFile(packets), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// farCapture is a connection one side of which goes on with numbers far from those before.
// The first of them is believed when the second comes, and both are acknowledged then.
func farCapture(t testing.TB) string {
	t.Helper()
	all := excerpt.Read(t, capturePath(t, "unsigned-clean.pcap"))[:16]
	sides := [2]excerpt.Packet{all[0], all[1]}
	add := func(side int, f dp8.Frame) {
		p := sides[side]
		p.Time = all[len(all)-1].Time + 40e6
		p.SetPayload(f.Append(nil))
		all = append(all, p)
	}
	data := func(seq, nrcv uint8) dp8.Frame {
		command := dp8.Data | dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg
		return dp8.Frame{Type: dp8.TypeDFrame, DFrame: dp8.DFrame{Command: command, Seq: seq, NRcv: nrcv, Payload: []byte("data")}}
	}
	for _, seq := range []uint8{70, 71} {
		add(0, data(seq, 6))
	}
	sack := dp8.SACK{Command: dp8.CFrame, Flags: dp8.SACKResponse, NSeq: 6, NRcv: 72}
	add(1, dp8.Frame{Type: dp8.TypeSACK, SACK: sack})
	return keepCapture(t, "far.pcapng", all)
}

// timedCapture is a connection whose packets have other times: at says which, of the number
// of the packet and the time that it had, in ns modulo 1<<64.
func timedCapture(t testing.TB, name string, at func(i int, was uint64) uint64) string {
	t.Helper()
	all := excerpt.Read(t, capturePath(t, "unsigned-lossy.pcap"))[:40]
	for i := range all {
		all[i].Time = at(i, all[i].Time)
	}
	return keepCapture(t, name, all)
}

// TestFarNumbersAreAcknowledged: one worker, which prints frames as soon as it can, shows
// which frame acknowledges one whose number is believed later.
func TestFarNumbersAreAcknowledged(t *testing.T) {
	const far, ack = 17, 19
	acked := map[float64]any{}
	for _, r := range records(t, output(t, "ladder", "--all", "--format", "json", farCapture(t)))[0].(map[string]any)["rows"].([]any) {
		row := r.(map[string]any)
		if frame, ok := row["frame"].(json.Number); ok {
			n, _ := frame.Float64()
			acked[n] = row["acked_in"]
		}
	}
	for _, frame := range []float64{far, far + 1} {
		if acked[frame] != json.Number(fmt.Sprint(ack)) {
			t.Errorf("frame %v is acknowledged in %v, want %d", frame, acked[frame], ack)
		}
	}
}

// TestFarTimes: round trips, pauses and whole captures may be longer than an int64 counts ns,
// and times may go backwards by years, stand still, or be the last that there are. Every
// format of every command prints something sound of that, and timeline with every flag.
func TestFarTimes(t *testing.T) {
	t.Parallel()
	for _, path := range madeCaptures(t) {
		for _, f := range forms() {
			if f.command != "timeline" && len(f.flags) > len(needed[f.command]) {
				continue
			}
			if err := f.print(t, path, "-d", "udp.port==0-65535,dp8").fault(); err != nil && f.command != "protocols" {
				t.Errorf("%s %s: %v", f, filepath.Base(path), err)
			}
		}
	}
}
