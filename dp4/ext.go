package dp4

// An Order is a reading of the extended flags. The text draws them as COMMAND
// (5 bits), nNACK (2 bits), 0 (1 bit) and does not say which end is the most
// significant (AMB-DP4-05).
type Order uint8

const (
	// LSBFirst has the least significant bit left, as the diagrams of MC-DPL4CS
	// have it: COMMAND 0x1f, nNACK 0x60, zero 0x80.
	LSBFirst Order = iota
	// MSBFirst is the mirrored reading: COMMAND 0xf8, nNACK 0x06, zero 0x01.
	MSBFirst
)

var orderNames = [...]string{"lsb-first", "msb-first"}

func (o Order) String() string { return orderNames[o&1] }

// MaskSize gives nNACK: how many bytes of NACK mask the extended flags announce.
func (o Order) MaskSize(ext uint8) int {
	if o == MSBFirst {
		return int(ext >> 1 & 3)
	}
	return int(ext >> 5 & 3)
}

// ExtFlags gives the extended flags that announce n bytes of mask.
func (o Order) ExtFlags(n int) uint8 {
	if o == MSBFirst {
		return uint8(n&3) << 1
	}
	return uint8(n&3) << 5
}

// Clean reports whether COMMAND and the zero bit are zero.
func (o Order) Clean(ext uint8) bool { return ext == o.ExtFlags(o.MaskSize(ext)) }

// orderOf chooses the reading of a NACK by the bytes that follow its tick count:
// the mirrored one is taken only where it alone fits.
func orderOf(ext uint8, rest int) Order {
	if LSBFirst.MaskSize(ext) != rest && MSBFirst.MaskSize(ext) == rest && MSBFirst.Clean(ext) {
		return MSBFirst
	}
	return LSBFirst
}
