package capture

// MaxPacket is the largest packet that is believed, in captured bytes. More is
// damage, as it is for Wireshark.
const MaxPacket = 262144

// A Record is one packet as a file holds it. Data, Comments and blocks are valid until
// the next packet is read from the same Reader.
type Record struct {
	Data      []byte // captured bytes, beginning with the link layer
	WireLen   int    // bytes the packet had on the wire; as the file says, so it may be less than len(Data)
	Time      int64  // nanoseconds since 1970 UTC; meaningless without HasTime
	HasTime   bool   // false for simple packet blocks and times outside the years 1678 to 2262
	Outbound  bool   // the file says that the capturing host sent it
	HasDrops  bool   // Drops is known
	Drops     uint64 // packets lost between this one and the one before it on the interface
	Link      LinkType
	Interface int      // index in its section, 0 in pcap
	Comments  []string // comments on this packet

	// Where Options.Blocks asks for them: the packet as a block of pcapng, as the file has it
	// or made of what a file of another format says, and the blocks in front of it that are
	// no packets. The first block of an input is a section header.
	Block  []byte
	Before []byte

	at   int  // where Data begins in Block
	near bool // the next packet is in memory as well: reading it leaves Data as it is
}

// A packetReader reads one format. Next gives io.EOF at the proper end and a
// *Damage for everything else that ends reading; the Reader makes that stick.
type packetReader interface {
	Next(rec *Record) error
	dropped() (n uint64, known bool)
	listened() Span
	rest() *otherBlocks
}
