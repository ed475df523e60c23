//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
	"github.com/nats-io/nats.go/jetstream"
)

// heavy skips what `make fleet` runs.
func heavy(t *testing.T) {
	t.Helper()
	if os.Getenv("DPDISSECT_FLEET") == "" {
		t.Skip("make fleet")
	}
}

// A cluster is three servers on loopback.
type cluster struct {
	t     testing.TB
	args  [3][]string
	serve [3]*exec.Cmd
	bed   *bed
}

// freePort is a port that nobody listens on.
func freePort(t testing.TB) int {
	return int(netip.MustParseAddrPort(programtest.FreeAddr(t)).Port())
}

func newCluster(t testing.TB, partitions int) *cluster {
	t.Helper()
	c := &cluster{t: t, bed: &bed{t: t, dir: t.TempDir()}}
	var routes, urls []string
	var ports [3]int
	for i := range c.serve {
		ports[i] = freePort(t)
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
	}
	for i := range c.serve {
		port := freePort(t)
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", port))
		c.args[i] = []string{"serve", "--listen", fmt.Sprintf("127.0.0.1:%d", port), "--store", t.TempDir(), "--name", fmt.Sprint("n", i),
			"--cluster", fmt.Sprintf("127.0.0.1:%d", ports[i]), "--routes", strings.Join(routes, ","), "--partitions", fmt.Sprint(partitions)}
		c.serve[i] = start(t, c.args[i]...)
	}
	c.bed.url = strings.Join(urls, ",")
	begun := time.Now()
	for {
		if _, _, code := call(t, c.bed.on("status", "--wait", "2s")...); code == exit.OK {
			t.Logf("the cluster took %v to start", time.Since(begun).Round(100*time.Millisecond))
			return c
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("the cluster does not start: %s", c.serve[0].Stderr)
		}
	}
}

func (c *cluster) kill(i int) {
	c.serve[i].Process.Kill()
	c.serve[i].Wait()
}

func (c *cluster) again(i int) { c.serve[i] = start(c.t, c.args[i]...) }

// fill queues n chains of pieces, and what one process says of them.
func (b *bed) fill(n, pieces int) {
	b.t.Helper()
	names := []string{"dp8/unsigned-lossy.pcap", "knet/lossy-reference.pcap", "dp4/windows-lossy.pcap", "hazel/lossy-current.pcap"}
	files := map[string][]string{}
	for i := range n {
		name := names[i%len(names)]
		if files[name] == nil {
			files[name] = b.pieces(name, pieces, 400)
		}
		chain := fmt.Sprint("chain ", i)
		b.do("submit", append([]string{"--chain", chain, "--end"}, files[name]...)...)
		b.expect("local", chain, files[name])
	}
}

// noStates checks that of chains that are over no state is left.
func (b *bed) noStates() {
	b.t.Helper()
	ctx := context.Background()
	states, err := b.open().ObjectStore(ctx, "dpd_states")
	if err != nil {
		b.t.Fatal(err)
	}
	if all, err := states.List(ctx); !errors.Is(err, jetstream.ErrNoObjectsFound) {
		b.t.Errorf("%d states are left: %v", len(all), err)
	}
}

// TestFleetCluster: three servers, of which one is killed under load and comes back, while workers are killed and
// paused: the rows are those of one process, each once.
func TestFleetCluster(t *testing.T) {
	heavy(t)
	c := newCluster(t, 8)
	b := c.bed
	b.fill(24, 24)
	b.worry(4, time.Second)
	steady := start(t, b.work("--tries", "100")...)
	victim := rand.IntN(3)
	t.Logf("server %d is killed when %d steps wait", victim, b.status().Queued)
	c.kill(victim)
	b.worry(4, time.Second)
	c.again(victim)
	b.worry(2, time.Second)
	b.drain("--tries", "100")
	steady.Process.Signal(syscall.SIGTERM)
	if err := steady.Wait(); err != nil {
		t.Errorf("SIGTERM: %v: %s", err, steady.Stderr)
	}
	b.compare()
	b.noStates()
	s := b.status()
	if s.Done != 576 || s.Redelivered == 0 || s.Dead != 0 || s.ChainsWaiting != 0 {
		t.Errorf("%+v", s)
	}
	t.Logf("%d steps were given out again", s.Redelivered)
}

// TestFleetNoQuorum: without two of three servers all wait, and exit with 7 after --wait; nothing is lost.
func TestFleetNoQuorum(t *testing.T) {
	heavy(t)
	c := newCluster(t, 8)
	b := c.bed
	b.fill(4, 6)
	steady := start(t, b.work("--workers", "2", "--tries", "100")...)
	time.Sleep(time.Second)
	c.kill(0)
	c.kill(1)
	file := filepath.Join(t.TempDir(), "x.pcap")
	os.WriteFile(file, []byte("x"), 0o600)
	for _, args := range [][]string{b.on("submit", "--chain", "more", "--wait", "3s", file), b.on("status", "--wait", "3s"), b.work("--drain", "--wait", "3s")} {
		begun := time.Now()
		if _, errs, code := call(t, args...); code != exit.Queue {
			t.Errorf("%q: exit code %d: %s", args, code, errs)
		} else {
			t.Logf("%s: 7 after %v", args[0], time.Since(begun).Round(100*time.Millisecond))
		}
	}
	c.again(0)
	c.again(1)
	begun := time.Now()
	b.drain("--tries", "100")
	t.Logf("all was done %v after the servers came back", time.Since(begun).Round(100*time.Millisecond))
	steady.Process.Signal(syscall.SIGTERM)
	if err := steady.Wait(); err != nil {
		t.Errorf("SIGTERM: %v: %s", err, steady.Stderr)
	}
	b.compare()
	b.noStates()
	if s := b.status(); s.Done != 24 || s.Dead > 1 || s.ChainsWaiting != 0 { // of "more" it is not known whether it was queued
		t.Errorf("%+v", s)
	}
}

// TestFleetWorkersDieOften: one server, and workers that die and are paused for half a minute.
func TestFleetWorkersDieOften(t *testing.T) {
	heavy(t)
	b := newBed(t)
	b.fill(20, 16)
	b.worry(24, 500*time.Millisecond)
	b.drain("--tries", "100")
	b.compare()
	b.noStates()
	s := b.status()
	if s.Done != 320 || s.Dead != 0 || s.Redelivered == 0 {
		t.Errorf("%+v", s)
	}
	t.Logf("%d steps were given out again", s.Redelivered)
}
