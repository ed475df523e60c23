package dissect

// Privacy says what a field gives away of who played and what was played. `dpdissect redact`
// replaces the values of all classes but Keep.
type Privacy uint8

const (
	Keep      Privacy = iota // nothing: numbers, flags and sizes of the protocol, ids of sessions
	Address                  // an IP address
	Port                     // a UDP port
	Name                     // text that people chose
	Payload                  // what the application sent
	Secret                   // a signing secret, or what is as good as one
	Signature                // made with a secret
)

var privacyNames = [...]string{"keep", "address", "port", "name", "payload", "secret", "signature"}

func (p Privacy) String() string { return privacyNames[p] }
