package explain

// A Cause names why a connection ended, or what made it slow.
type Cause string

// Causes of an end.
const (
	StillOpen         Cause = "still-open"
	PoorCapture       Cause = "poor-capture"
	NoAnswer          Cause = "no-answer"
	PortClosed        Cause = "port-closed"
	Refused           Cause = "refused"
	VersionMismatch   Cause = "version-mismatch"
	SecretMismatch    Cause = "secret-mismatch"
	ProtocolViolation Cause = "protocol-violation"
	PeerRestarted     Cause = "peer-restarted"
	RetriesExhausted  Cause = "retries-exhausted"
	SizeBlackHole     Cause = "size-black-hole"
	OneWay            Cause = "one-way"
	NATExpired        Cause = "nat-expired"
	NATRebinding      Cause = "nat-rebinding"
	PeerSilent        Cause = "peer-silent"
	PathDead          Cause = "path-dead"
	Closed            Cause = "closed"
	Reset             Cause = "reset"
	Undecided         Cause = "undecided"
)

// What contributes without ending a connection.
const (
	Loss            Cause = "loss"
	LossBurst       Cause = "loss-burst"
	Delay           Cause = "delay"
	Bufferbloat     Cause = "bufferbloat"
	WindowStall     Cause = "window-stall"
	LateAcks        Cause = "late-acks"
	PeerStalled     Cause = "peer-stalled"
	UnitStarved     Cause = "unit-starved"
	SpuriousRetries Cause = "spurious-retries"
	Reordering      Cause = "reordering"
	ApplicationIdle Cause = "application-idle"
	HiddenCopies    Cause = "hidden-copies"
	ClockSkew       Cause = "clock-skew"
)

// Certainty is how sure a verdict is.
type Certainty string

const (
	Proved    Certainty = "proved"
	Likely    Certainty = "likely"
	Unsettled Certainty = "undecided"
)
