package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/fleet/server"
	"github.com/dpdissect/dpdissect/internal/state"
)

// TestStepsASecond tells how many steps a second the queue hands out and takes back, of commands that cost nothing
// and leave states of 32 KiB.
func TestStepsASecond(t *testing.T) {
	if os.Getenv("DPDISSECT_FLEET") == "" {
		t.Skip("make fleet-cost")
	}
	for _, replicas := range []int{1, 3} {
		url := servers(t, replicas)
		q, err := Connect(context.Background(), Options{Server: url, Prefix: fmt.Sprint("r", replicas), Create: true, Tell: func(string) {}})
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 8, 64} {
			stepsASecond(t, q, workers, replicas)
		}
		q.Close()
	}
}

// servers starts one server, or a cluster.
func servers(t testing.TB, n int) string {
	t.Helper()
	var routes, urls []string
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Addr().String())
		routes = append(routes, "nats://"+l.Addr().String())
		l.Close()
	}
	for i := range n {
		o := server.Options{Listen: "127.0.0.1:0", Store: t.TempDir(), Tell: func(string) {}}
		if n > 1 {
			o.Name, o.Cluster, o.Routes = fmt.Sprint("n", i), ports[i], strings.Join(routes, ",")
		}
		s, err := server.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Stop)
		urls = append(urls, s.URL())
	}
	return strings.Join(urls, ",")
}

func stepsASecond(t *testing.T, q *Queue, workers, replicas int) {
	t.Helper()
	ctx := context.Background()
	const chains, steps = 200, 10
	root, at := t.TempDir(), time.Unix(1e9, 0)
	for s := range steps {
		path := fmt.Sprint(root, "/", s)
		os.WriteFile(path, []byte("x"), 0o600)
		os.Chtimes(path, at, at)
	}
	begun := time.Now()
	for c := range chains {
		var lists [][]Input
		for s := range steps {
			lists = append(lists, []Input{{Path: fmt.Sprint(s), Size: 1, Time: at}})
		}
		if _, _, err := q.Submit(ctx, "p", fmt.Sprint(workers, "-", c), lists, false); err != nil {
			t.Fatal(err)
		}
	}
	submitted := time.Since(begun)
	var body [32 << 10]byte
	for i := range body {
		body[i] = byte(rand.Uint32())
	}
	head := state.Head{Layout: 7}
	text := head.Seal(body[:], 1<<10)
	begun = time.Now()
	err := q.Work(ctx, WorkOptions{Layout: 7, Workers: workers, Root: root, AckWait: 30 * time.Second, Tries: 3, StepTime: time.Minute, Drain: true,
		Ready: func(context.Context) error { return nil }, Fence: noFence, Tell: func(text string) { t.Log(text) },
		run: func(_ context.Context, args []string) (o outcome, err error) {
			for _, a := range args {
				if path, ok := strings.CutPrefix(a, "--state-out="); ok {
					err = os.WriteFile(path, text, 0o600)
				}
			}
			return o, err
		}})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begun)
	s, err := q.Status(ctx)
	if err != nil || s.Queued != 0 {
		t.Fatal(s, err)
	}
	t.Logf("%d replicas, %2d workers: %4.0f steps/s, %4.0f submitted/s; %d done, %d dead", replicas, workers, chains*steps/took.Seconds(), chains*steps/submitted.Seconds(), s.Done, s.Dead)
}
