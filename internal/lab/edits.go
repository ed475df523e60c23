package lab

import (
	"math/rand/v2"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// An Edit changes a capture as an accident of capturing or of the network would:
// no endpoint is to blame for what it leaves.
type Edit struct {
	Name string
	Do   func(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram
}

// Edits are all kinds.
var Edits = []Edit{
	{"drop", drop}, {"drop-few", dropFew}, {"duplicate", duplicate}, {"swap", swap}, {"cut-start", cutStart},
	{"cut-end", cutEnd}, {"cut-middle", cutMiddle}, {"one-way", oneWay}, {"truncate", truncate}, {"one-silent", oneSilent},
}

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

// drop loses up to a fifth.
func drop(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	p := r.Float64() * 0.2
	return slices.DeleteFunc(all, func(dissect.Datagram) bool { return chance(r, p) })
}

// dropFew loses one to three datagrams.
func dropFew(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	for range 1 + r.IntN(3) {
		if len(all) > 0 {
			i := r.IntN(len(all))
			all = slices.Delete(all, i, i+1)
		}
	}
	return all
}

// duplicate repeats datagrams at once, as a mirror port does, or a little later, as
// a network does.
func duplicate(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	p, late := r.Float64()*0.3, r.Int64N(25e6)
	var out []dissect.Datagram
	for _, d := range all {
		out = append(out, d)
		if chance(r, p) {
			d.Time += late
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b dissect.Datagram) int { return int(a.Time - b.Time) })
	return out
}

// swap exchanges neighbours less than 30 ms apart; times stay in order.
func swap(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	p := r.Float64() * 0.2
	for i := 0; i+1 < len(all); i++ {
		if chance(r, p) && all[i+1].Time-all[i].Time < 30e6 {
			all[i], all[i+1] = all[i+1], all[i]
			all[i].Time, all[i+1].Time = all[i+1].Time, all[i].Time
			i++
		}
	}
	return all
}

func cutStart(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	return all[r.IntN(len(all)+1):]
}

func cutEnd(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	return all[:r.IntN(len(all)+1)]
}

func cutMiddle(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	from := r.IntN(len(all) + 1)
	return slices.Delete(all, from, min(len(all), from+r.IntN(len(all)/3+1)))
}

func oneWay(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	if len(all) == 0 {
		return all
	}
	keep := all[r.IntN(len(all))].Src
	return slices.DeleteFunc(all, func(d dissect.Datagram) bool { return d.Src != keep })
}

// oneSilent loses one direction for a while.
func oneSilent(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	if len(all) == 0 {
		return all
	}
	gone := all[r.IntN(len(all))].Src
	from := r.IntN(len(all))
	to := from + r.IntN(len(all)-from+1)
	i := -1
	return slices.DeleteFunc(all, func(d dissect.Datagram) bool {
		i++
		return d.Src == gone && i >= from && i < to
	})
}

// truncate is a short snapshot length, for some packets or for all.
func truncate(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	snap, p := 4+r.IntN(200), 1.0
	if chance(r, 0.5) {
		p = 0.2
	}
	for i := range all {
		if d := &all[i]; d.Kind == dissect.UDP && len(d.Payload) > snap && chance(r, p) {
			d.Payload = d.Payload[:snap]
		}
	}
	return all
}

// renumber counts the packets anew.
func renumber(all []dissect.Datagram) []dissect.Datagram {
	for i := range all {
		all[i].Frame = uint64(i + 1)
	}
	return all
}
