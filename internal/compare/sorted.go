package compare

import (
	"cmp"
	"slices"
)

// An entry is a datagram in a list that is sorted by what it is known by.
type entry struct {
	key  uint64
	at   int32 // index in Capture.list
	ipid uint16
}

// digits is by how many bits a pass of the sort tells entries apart, and passes how many there are:
// what they leave together is compared.
const (
	digits = 11
	passes = 2
)

func byKeyAlone(a, b entry) int { return cmp.Compare(a.key, b.key) }

// byKey sorts entries; those with equal keys stay in their order. It needs room for as many, and gives
// room that it needs no more.
func byKey(list, room []entry) (sorted, free []entry) {
	if len(list) < 1<<digits {
		slices.SortStableFunc(list, byKeyAlone)
		return list, room
	}
	if cap(room) < len(list) {
		room = make([]entry, len(list))
	}
	other := room[:len(list)]
	for p := range passes {
		shift := uint(64 - digits*(passes-p))
		var count [1<<digits + 1]int32
		for i := range list {
			count[list[i].key>>shift&(1<<digits-1)+1]++
		}
		for i := 1; i < len(count); i++ {
			count[i] += count[i-1]
		}
		for _, e := range list {
			d := e.key >> shift & (1<<digits - 1)
			other[count[d]] = e
			count[d]++
		}
		list, other = other, list
	}
	const low = 64 - digits*passes
	for from := 0; from < len(list); {
		to, mixed := from+1, false
		for ; to < len(list) && list[to].key>>low == list[from].key>>low; to++ {
			mixed = mixed || list[to].key != list[from].key
		}
		if mixed {
			slices.SortStableFunc(list[from:to], byKeyAlone)
		}
		from = to
	}
	return list, other
}

// join calls f with the entries of each key that is in both sorted lists, while it reports that it
// wants more.
func join(a, b []entry, f func(a, b []entry) bool) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i].key < b[k].key:
			i++
		case a[i].key > b[k].key:
			k++
		default:
			ei, ek := i+1, k+1
			for ei < len(a) && a[ei].key == a[i].key {
				ei++
			}
			for ek < len(b) && b[ek].key == b[k].key {
				ek++
			}
			if !f(a[i:ei], b[k:ek]) {
				return
			}
			i, k = ei, ek
		}
	}
}
