package seq

// A Few holds a T for each of the few numbers of a side of which there is more to know than of others. What
// its methods give is valid until the next Put.
type Few[T any] struct {
	list []few[T] // by number
}

type few[T any] struct {
	num Num
	of  T
}

// Any reports whether anything was ever known of a number.
func (f *Few[T]) Any() bool { return len(f.list) > 0 }

// At gives what is known of a number, nil for nothing.
func (f *Few[T]) At(n Num) *T {
	if i := f.place(n); i < len(f.list) && f.list[i].num == n {
		return &f.list[i].of
	}
	return nil
}

// Put gives the place of a number of which nothing is known yet. Where that takes room, numbers that are not
// wanted any more go.
func (f *Few[T]) Put(n Num, wanted func(Num) bool) *T {
	if len(f.list) == cap(f.list) {
		keep := f.list[:0]
		for i := range f.list {
			if wanted(f.list[i].num) {
				keep = append(keep, f.list[i])
			}
		}
		clear(f.list[len(keep):])
		f.list = keep
	}
	at := f.place(n)
	f.list = append(f.list, few[T]{})
	copy(f.list[at+1:], f.list[at:])
	f.list[at] = few[T]{num: n}
	return &f.list[at].of
}

// place is where a number stands, or belongs.
func (f *Few[T]) place(n Num) int {
	i := len(f.list)
	for i > 0 && f.list[i-1].num >= n {
		i--
	}
	return i
}
