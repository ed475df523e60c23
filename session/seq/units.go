package seq

// maxCarriers is how many of the latest numbers that carried a unit are
// remembered.
const maxCarriers = 3

// A carried unit is one that travels in numbered datagrams and keeps its own
// number when it is sent again in another one.
type carried struct {
	frame    uint64              // first captured datagram that carried it, 0 for none
	time     int64               // latest sending, ns
	carriers [maxCarriers]uint32 // latest first; low bits of their numbers
	sends    uint8               // captured, up to 255; as many of the latest are remembered in carriers
	acked    bool                // a carrier that is no longer remembered was acknowledged
	print    uint16              // of its content, 0 when that is not known
	first    int64               // first transmission, ns; 0 once it was acknowledged, or when it is not known
}

// units are the carried units of one side, in a ring like that of a Window.
type units struct {
	sparse[carried]
	base, top Num
	floor     Num
	keep      int64 // Limits.UnitKeep
	gone      bool
	lowMemory bool

	again []furtherCarrier // not acknowledged yet, the oldest first
}

// A furtherCarrier is a number that carries a unit that was sent before.
type furtherCarrier struct{ carrier, unit Num }

// mostFurther bounds the further carriers that are remembered.
const mostFurther = 256
