package session

// State is how far a connection had come.
type State uint8

const (
	StateUnknown State = iota
	Opening
	Established
	Closing
	Closed
	Reset
	TimedOut
	Refused
)

var stateNames = [...]string{"unknown", "opening", "established", "closing", "closed", "reset", "timed-out", "refused"}

func (s State) String() string { return stateNames[s] }

// Detection is what a connection was recognised by.
type Detection uint8

const (
	ByBehaviour Detection = iota
	ByHandshake
	ByDecodeAs
)

var detectionNames = [...]string{"behaviour", "handshake", "decode-as"}

func (d Detection) String() string { return detectionNames[d] }

// Side names a side of a connection; a is the sender of its first frame.
type Side uint8

const (
	NoSide Side = iota
	SideA
	SideB
	BothSides
)

var sideNames = [...]string{"", "a", "b", "both"}

func (s Side) String() string { return sideNames[s] }
