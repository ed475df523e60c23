package capfilter

// A node is a part of an expression.
type node interface{ place() span }

// nodes of the tree. Every primitive keeps the place that errors mark.
type (
	// logic joins two expressions; both kinds bind alike.
	logic struct {
		or   bool
		l, r node
	}
	// negation is not x.
	negation struct {
		at span
		x  node
	}
	// relation compares two sums.
	relation struct {
		at   span
		op   string
		l, r *sum
	}
	// identified is an id with its qualifiers, written or taken from the left.
	identified struct {
		quals
		id   token
		mask *mask
	}
	// named is a protocol alone.
	named struct {
		at    span
		proto string
	}
	// cast is broadcast or multicast, of a protocol or of the link ("").
	cast struct {
		at    span
		proto string
		multi bool
	}
	// vlan is a tag with the number id, any if it is nil.
	vlan struct {
		at span
		id *token
	}
	// lengths is less or greater.
	lengths struct {
		at      span
		greater bool
		n       uint32
	}
)

// A mask stands after a network.
type mask struct {
	at    span
	bits  uint32 // of net/bits
	addr  *token // of net mask addr, nil if bits hold
	whole span   // with the network
}

// quals are the qualifiers of an id. Where none were given, ok is false: ids
// can't stand there.
type quals struct {
	ok    bool
	proto string // "" for what fits
	dir   direction
	typ   string // host, net, port, portrange, proto; "" for host
	at    span
}

// direction says which of two addresses or ports.
type direction uint8

const (
	dirAny direction = iota // src or dst
	dirSrc
	dirDst
	dirBoth // src and dst
)

// A sum is an arithmetic expression.
type sum struct {
	at   span
	kind sumKind
	num  uint32
	op   string // of sumBinary
	l, r *sum   // of sumBinary; l is the operand of sumNegate, the index of sumLoad

	proto  string // of sumLoad
	size   int
	closed bool // it stands in parentheses
}

type sumKind uint8

const (
	sumNumber sumKind = iota
	sumLen
	sumLoad
	sumNegate
	sumBinary
)

func (x *logic) place() span      { return x.l.place().To(x.r.place()) }
func (x *negation) place() span   { return x.at.To(x.x.place()) }
func (x *relation) place() span   { return x.at }
func (x *identified) place() span { return x.id.At }
func (x *named) place() span      { return x.at }
func (x *cast) place() span       { return x.at }
func (x *vlan) place() span       { return x.at }
func (x *lengths) place() span    { return x.at }
