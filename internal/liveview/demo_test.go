package liveview

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

const (
	demoStart = int64(1795600800_000_000_000)
	second    = int64(time.Second)
)

// demo makes the snapshots of an invented run of n connections after some seconds:
// the same for the same arguments.
func demo(n int, seconds int64) *sampler.Snapshot {
	s := &sampler.Snapshot{
		Time: demoStart + seconds*second, Elapsed: seconds * second, Interfaces: []string{"eth0"},
		Packets: uint64(seconds) * uint64(n) * 61, PacketsPerSec: float64(n) * 61, Decoded: uint64(seconds) * uint64(n) * 60,
		Window: int64(sampler.DefaultWindow), Live: uint64(n), Ended: 3,
	}
	for i := range n {
		s.Rows = append(s.Rows, demoRow(i, seconds))
		for k, f := range s.Rows[i].Findings {
			s.Findings[k] += f
		}
		if s.Rows[i].Over {
			s.Live--
			s.Ended++
		}
	}
	return s
}

var demoKinds = [...]struct {
	protocol string
	roles    [2]string
}{
	{"dp8 1.6", [2]string{"connector", "listener"}}, {"knet reference", [2]string{"client", "server"}},
	{"hazel current", [2]string{"client", "server"}}, {"dp4", [2]string{}},
}

// unsigned are the counters of a side whose frames have no signatures.
const unsigned = measure.Set(1<<measure.ValidSignatures - 1)

func demoRow(i int, seconds int64) sampler.Row {
	rnd := rand.New(rand.NewPCG(uint64(i), 7)) // of the connection
	kind := demoKinds[i%len(demoKinds)]
	a := netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 168, byte(i >> 8), byte(10 + i)}), uint16(50000+i))
	b := netip.MustParseAddrPort("10.0.0.1:2302")
	r := sampler.Row{
		Key: uint64(i) + 1, ID: i, Protocol: kind.protocol, Role: kind.roles, Name: [2]string{a.String(), b.String()},
		State: session.Established, Complete: i%7 != 6, Last: demoStart + seconds*second, Duration: (seconds + int64(i)) * second, Idle: int64(i%3) * second / 2,
	}
	r.End[0], r.End[1] = dissect.MakeEndpoint(a), dissect.MakeEndpoint(b)
	base, trouble := 15+rnd.Float64()*120, rnd.Float64()
	wave := math.Sin(float64(seconds)/3 + float64(i))
	for k := range r.Dir {
		d := &r.Dir[k]
		rate := 20 + 30*rnd.Float64()
		n := &d.Counts
		frames := int64(rate * float64(seconds+int64(i)))
		data := frames * 3 / 4
		n[measure.Frames], n[measure.DataFrames], n[measure.Acks], n[measure.Bytes], n[measure.Messages] = frames, data, frames/4, frames*93, frames*2/3
		d.FramesPerSec, d.BytesPerSec = rate, rate*93
		d.Quality, d.Loss, d.RetryShare, d.InFlight = sampler.Known(100), sampler.Known(0), sampler.Known(0), sampler.Known(float64(rnd.IntN(6)))
		d.Ping, d.Jitter, d.MinPing, d.Samples = sampler.Known(base*(1.1+0.1*wave)), sampler.Known(base/12), sampler.Known(base), uint64(data)
		d.Knows = unsigned
		d.Idle = sampler.Known(float64(r.Idle))
		if k == 1 {
			d.Ping, d.Jitter, d.MinPing = sampler.Known(0.4), sampler.Known(0.05), sampler.Known(0.3)
		}
		if trouble > 0.7 && k == 0 {
			loss := (trouble - 0.7) * 30 * (1 + 0.3*wave)
			d.Loss, d.RetryShare, d.Quality = sampler.Known(loss), sampler.Known(loss*0.9), sampler.Known(100-loss*1.7)
			n[measure.Retries], n[measure.UnneededRetries], n[measure.Missing], n[measure.Gaps], n[measure.OutOfOrder] = data/20, data/90, 3, 5, 2
			n[measure.LostAfter] = data / 25
		}
	}
	r.Trail = demoTrail(&r, int(seconds/2))
	switch {
	case i%11 == 4:
		r.Findings = [3]uint64{1, 2, 0}
		r.Notes = []sampler.Note{
			{Severity: conform.Warn, Rule: "FLD-LOSS", Message: "3 of 100 numbers never passed the capture point", Side: session.SideA, Frame: 1234, Time: r.Last, HasTime: true},
			{Severity: conform.Error, Rule: "DP8-2.2.1.2-POLL-LISTENER", Message: "the listener answers a poll with a number that was never sent, which no loss and no reordering explains", Side: session.SideB, Frame: 1301, Time: r.Last, HasTime: true},
		}
	case i%13 == 7:
		r.Over, r.State, r.ClosedBy, r.Idle = true, session.Closed, session.SideA, 4*second
	case i%17 == 9:
		r.Dir[1] = sampler.Dir{Knows: unsigned &^ (1<<measure.LostBefore | 1<<measure.LostAfter | 1<<measure.NotCaptured)}
		r.State, r.Complete = session.StateUnknown, false
	}
	return r
}

const demoMoments = 150 // of five minutes

// demoTrail makes moments that look as if a side had done for a while as it does now.
func demoTrail(r *sampler.Row, n int) (trail []sampler.Moment) {
	for k := range min(n, demoMoments) {
		m := sampler.Moment{At: r.Last - int64(min(n, demoMoments)-1-k)*2*second}
		for i := range m.Dir {
			wave := float32(1 + 0.5*math.Sin(float64(k+40*i)/4))
			d := &r.Dir[i]
			m.Dir[i] = sampler.Pace{Ping: float32(d.Ping.V) * wave, Loss: float32(d.Loss.V) * wave, Rate: float32(d.BytesPerSec) * wave}
			if k == 5 {
				m.Dir[i].Ping = float32(math.NaN())
			}
		}
		trail = append(trail, m)
	}
	return trail
}

// impossible is a snapshot that can't be drawn: it stands for a fault of this package.
func impossible() *sampler.Snapshot {
	s := demo(1, 60)
	s.Rows[0].State = 99
	return s
}

// TestMain plays the terminal program of the tests when it is asked to.
func TestMain(m *testing.M) {
	if how := os.Getenv("LIVEVIEW_DEMO"); how != "" {
		os.Exit(play(how))
	}
	os.Exit(m.Run())
}

// play shows a demo until it is quit: "N" connections, or how it is to end.
func play(how string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n, err := strconv.Atoi(how)
	m := newModel(Options{Color: os.Getenv("LIVEVIEW_COLOR") != "0"})
	if err != nil {
		n = 12
	}
	feed := NewFeed()
	start := int64(60)
	feed.Offer(demo(n, start))
	go func() {
		for s := start + 1; ; s++ {
			time.Sleep(500 * time.Millisecond)
			switch {
			case how == "cancel" && s == start+2:
				cancel()
			case (how == "TERM" || how == "INT") && s == start+2:
				self, _ := os.FindProcess(os.Getpid())
				_ = self.Signal(map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": os.Interrupt}[how])
			case how == "close" && s == start+2:
				close(feed)
				return
			case how == "panic" && s == start+2:
				feed.Offer(impossible())
			default:
				feed.Offer(demo(n, s))
			}
		}
	}()
	err = run(ctx, os.Stdin, os.Stdout, feed, m, os.Getenv("LIVEVIEW_COLOR") != "0")
	fmt.Println("ended:", err)
	if err != nil {
		return 1
	}
	return 0
}
