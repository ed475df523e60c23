package record

// Bounds of what is kept aside: bytes, and numbers.
const (
	mostAside   = 4 << 20
	mostNumbers = 1024
)

// asides are packets that wait for others apart from the order, under the number of what
// they are part of.
type asides struct {
	list  []aside // oldest first
	bytes int
}

type aside struct {
	number  uint64
	packets uint64
	blocks  []byte
}

// find gives the place of a number, -1 when nothing is there.
func (a *asides) find(number uint64) int {
	for i := len(a.list) - 1; i >= 0; i-- {
		if a.list[i].number == number {
			return i
		}
	}
	return -1
}

func (a *asides) packets(number uint64) uint64 {
	if i := a.find(number); i >= 0 {
		return a.list[i].packets
	}
	return 0
}

// add keeps a packet and lets go of the oldest beyond the bound.
func (a *asides) add(number uint64, block []byte) {
	i := a.find(number)
	if i < 0 {
		i = len(a.list)
		a.list = append(a.list, aside{number: number})
	}
	a.list[i].packets++
	a.list[i].blocks = append(a.list[i].blocks, block...)
	a.bytes += len(block)
	for a.bytes > mostAside || len(a.list) > mostNumbers {
		a.remove(0)
	}
}

// take gives what is there and forgets it.
func (a *asides) take(number uint64) []byte {
	i := a.find(number)
	if i < 0 {
		return nil
	}
	blocks := a.list[i].blocks
	a.remove(i)
	return blocks
}

func (a *asides) remove(i int) {
	a.bytes -= len(a.list[i].blocks)
	a.list = append(a.list[:i], a.list[i+1:]...)
}
