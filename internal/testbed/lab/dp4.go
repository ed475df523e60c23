package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// dp4Nth changes, in place, the k-th frame, from 0, that is what is asked for.
func dp4Nth(k int, is func(f *dp4.Frame) bool, change func(f *dp4.Frame)) func() func(*sim.Datagram) []sim.Tampered {
	return dp4From(k, k+1, is, func(f *dp4.Frame) bool { change(f); return true })
}

// dp4From changes such frames from the k-th to before the end-th; change reports
// whether one is faulty then.
func dp4From(k, end int, is func(f *dp4.Frame) bool, change func(f *dp4.Frame) bool) func() func(*sim.Datagram) []sim.Tampered {
	return func() func(*sim.Datagram) []sim.Tampered {
		n := 0
		return func(d *sim.Datagram) []sim.Tampered {
			f, ok := dp4Frame(d.Payload)
			if !ok || !is(f) {
				return sim.Untouched(d)
			}
			if n++; n <= k || n > end {
				return sim.Untouched(d)
			}
			fault := change(f)
			return []sim.Tampered{{Payload: f.Append(nil), Fault: fault}}
		}
	}
}

// dp4Also sends, some time after the k-th such frame, a changed copy of it.
func dp4Also(k int, is func(f *dp4.Frame) bool, after time.Duration, change func(f *dp4.Frame)) func() func(*sim.Datagram) []sim.Tampered {
	return func() func(*sim.Datagram) []sim.Tampered {
		n := 0
		return func(d *sim.Datagram) []sim.Tampered {
			f, ok := dp4Frame(d.Payload)
			if !ok || !is(f) {
				return sim.Untouched(d)
			}
			if n++; n-1 != k {
				return sim.Untouched(d)
			}
			change(f)
			return append(sim.Untouched(d), sim.Tampered{Payload: f.Append(nil), After: after, Fault: true})
		}
	}
}

// dp4Bytes changes the bytes of the k-th such frame.
func dp4Bytes(k int, is func(f *dp4.Frame) bool, change func(p []byte) []byte) func() func(*sim.Datagram) []sim.Tampered {
	return func() func(*sim.Datagram) []sim.Tampered {
		n := 0
		return func(d *sim.Datagram) []sim.Tampered {
			f, ok := dp4Frame(d.Payload)
			if !ok || !is(f) {
				return sim.Untouched(d)
			}
			if n++; n-1 != k {
				return sim.Untouched(d)
			}
			return []sim.Tampered{{Payload: change(slices.Clone(d.Payload)), Fault: true}}
		}
	}
}

func dp4Frame(p []byte) (*dp4.Frame, bool) {
	f := &dp4.Frame{}
	err := f.Decode(slices.Clone(p), dp4.Params{Length: len(p)}, nil)
	return f, err == nil
}

const dp4Whole = dp4.STA | dp4.EOM

func dp4Any(*dp4.Frame) bool      { return true }
func dp4Data(f *dp4.Frame) bool   { return f.Type == dp4.TypeData }
func dp4ACK(f *dp4.Frame) bool    { return f.Type == dp4.TypeACK }
func dp4NACK(f *dp4.Frame) bool   { return f.Type == dp4.TypeNACK }
func dp4Single(f *dp4.Frame) bool { return dp4Data(f) && f.Flags&dp4Whole == dp4Whole }
func dp4Middle(f *dp4.Frame) bool { return dp4Data(f) && f.Flags&dp4Whole == 0 }
func dp4Retry(f *dp4.Frame) bool  { return dp4Single(f) && f.Serial > 0 }

// dp4By is what side a, whose player has index 1, sends.
func dp4By(a uint32, is func(f *dp4.Frame) bool) func(f *dp4.Frame) bool {
	return func(f *dp4.Frame) bool { return f.From.Value == a && is(f) }
}

// dp4Keeps are near misses that change nothing: the scenario itself comes close.
func dp4Keeps(on string, rules ...string) (all []Mutant) {
	for _, r := range rules {
		all = append(all, Mutant{Rule: r, Name: "leaves " + on + " as it is", Near: true, On: on})
	}
	return all
}
