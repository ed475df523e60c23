package whole

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A teller writes down all that a tracker says.
type teller struct{ bytes.Buffer }

func (w *teller) Frame(fr *dissect.Frame, c *session.Conn) {
	fmt.Fprintln(w, fr.Frame, fr.Protocol, fr.Type, fr.Direction, fr.Words, fr.RetryOf, fr.Acks, fr.Err, fr.Notes, string(fr.Summary), c != nil)
}

func (w *teller) Acked(at seq.Position, by uint64) { fmt.Fprintln(w, at, "acked in", by) }

func (w *teller) Message(m *session.Message) {
	fmt.Fprintln(w, "message", m.Dir, m.Index, m.FirstFrame, m.LastFrame, m.At, m.Time, m.Number, m.Complete, m.Size, m.SHA256, m.Payload)
}

func (w *teller) Finding(f *session.Finding) {
	fmt.Fprintln(w, f.Rule.ID, f.Severity, f.Guard, f.Dir, f.Frame, f.Frames, f.Time, f.Message)
}

// account is all that a tracker says of datagrams that hand passes to it.
func account(cfg session.Config, all []dissect.Datagram, hand func(t *session.Table, d *dissect.Datagram)) string {
	w := &teller{}
	cfg.Sink = w
	t := session.NewTable(cfg)
	for i := range all {
		hand(t, &all[i])
	}
	t.Close(0)
	for _, c := range t.Conns() {
		fmt.Fprintln(w, c.A, c.B, c.FirstFrame, c.LastFrame, c.State, c.ClosedBy, c.Version, c.Signing, c.Dialect, c.Inferred, c.Remarks, c.Findings)
		for i := range c.Dir {
			d := &c.Dir[i]
			fmt.Fprintln(w, d.Frames, d.Bytes, d.DataFrames, d.Acks, d.Retries, d.UnneededRetries, d.Duplicates, d.OutOfOrder, d.Gaps, d.Missing(),
				d.Lost(), d.Messages, d.MessageBytes, d.IncompleteMessages, d.KeepAlives, d.RTT(), d.Signatures)
		}
	}
	for _, p := range cfg.Protocols {
		fmt.Fprintln(w, t.Tallies(p))
	}
	fmt.Fprintln(w, t.QualityTallies())
	return w.String()
}

// lend hands every datagram over in the same place, and writes over it at once.
func lend() func(t *session.Table, d *dissect.Datagram) {
	var d dissect.Datagram
	var room [1 << 16]byte
	return func(t *session.Table, x *dissect.Datagram) {
		d = *x
		d.Payload = room[:copy(room[:], x.Payload)]
		t.Add(&d)
		for i := range d.Payload {
			room[i] ^= 0xA5
		}
		d.Frame, d.Time, d.HasTime, d.Length, d.IPID, d.TTL = x.Frame^1, x.Time^1<<40, !x.HasTime, x.Length+7, ^x.IPID, ^x.TTL
		d.Src, d.Dst, d.BadChecksum, d.Fragments, d.Payload = x.Dst, x.Src, !x.BadChecksum, x.Fragments+1, d.Payload[:len(d.Payload)/2]
	}
}

// give hands over datagrams of their own.
func give(t *session.Table, x *dissect.Datagram) {
	d := *x
	d.Payload = slices.Clone(x.Payload)
	t.Add(&d)
}

// TestReuse: a datagram and its bytes are the reader's again after Add. Whatever
// is judged or delivered later, up to the end, looks at neither. Each trace is tried whole
// and damaged, in one of two ways or in both: see everyCase.
func TestReuse(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/pcaps/*/*.pcap")
	if len(files) == 0 {
		t.Fatal("no traces")
	}
	rnd := rand.New(rand.NewPCG(11, 3))
	for i, f := range files {
		all := captured.Datagrams(t, f)
		if len(all) > 300 {
			all = all[:300]
		}
		for round := range 3 {
			if round > 0 && round != 1+i%2 && !everyCase() {
				continue
			}
			cfg := mutatedConfig(rnd, 3*round)
			cfg.Inconclusive = round != 1
			some := all
			if round > 0 {
				some = damaged(rnd, all)
			}
			want := account(cfg, some, give)
			if got := account(cfg, some, lend()); got != want {
				t.Errorf("%s, round %d: %s", filepath.Base(f), round, firstDifference(got, want))
			}
		}
	}
}

// damaged is a capture with damaged datagrams, some doubled, left out or swapped,
// that ends early.
func damaged(rnd *rand.Rand, all []dissect.Datagram) (out []dissect.Datagram) {
	for i := range all {
		switch rnd.IntN(40) {
		case 0:
			continue
		case 1:
			out = append(out, all[i])
		case 2:
			if n := len(out); n > 0 {
				out = append(out, out[n-1])
				out[n-1] = all[i]
				continue
			}
		}
		out = append(out, mutated(rnd, all[i]))
	}
	for i := range out {
		out[i].Frame = uint64(i + 1)
	}
	return out[:len(out)-rnd.IntN(1+len(out)/4)]
}

// TestWorkersOnDamagedTraces: the number of workers changes nothing in captures of
// all protocols at once, damaged ones among them.
func TestWorkersOnDamagedTraces(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/pcaps/*/*.pcap")
	if len(files) == 0 {
		t.Fatal("no traces")
	}
	rnd := rand.New(rand.NewPCG(4, 2))
	var party []dissect.Datagram
	for i, f := range files {
		all := captured.Datagrams(t, f)
		if len(all) > 150 {
			all = all[:150]
		}
		if i%3 > 0 {
			all = damaged(rnd, all)
		}
		for _, d := range all {
			if d.Kind == dissect.UDP && !d.IPv6 && len(d.Payload) < 60000 {
				d.Src.IP[13], d.Dst.IP[13] = byte(i), byte(i)
				party = append(party, d)
			}
		}
	}
	slices.SortStableFunc(party, func(a, b dissect.Datagram) int { return cmp.Compare(a.Frame, b.Frame) })
	path := filepath.Join(t.TempDir(), "party.pcap")
	captured.Write(t, path, party)
	want := said(t, []string{path}, protocols.Options{}, 1, pipeline.NDJSON, session.HashMessages)
	for _, workers := range []int{2, 7} {
		if got := said(t, []string{path}, protocols.Options{}, workers, pipeline.NDJSON, session.HashMessages); got != want {
			t.Errorf("%d workers: %s", workers, firstDifference(got, want))
		}
	}
}
