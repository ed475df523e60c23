package measure

// A Counter is a number of a direction that only grows.
type Counter uint8

// The counters, in the order of the analysis record.
const (
	Frames Counter = iota
	Bytes
	DataFrames
	Acks
	Retries
	Transmissions
	UnneededRetries
	Duplicates
	OutOfOrder
	Gaps
	Missing
	LostBefore
	LostAfter
	NotCaptured
	Messages
	MessageBytes
	IncompleteMessages
	KeepAlives
	ValidSignatures
	InvalidSignatures
	UnverifiableSignatures
	Counters // how many there are
)

// InInterval are the counters of the record of an interval, in its order.
var InInterval = [...]Counter{
	Frames, Bytes, DataFrames, Acks, Retries, UnneededRetries, Duplicates, Gaps, OutOfOrder, Messages, MessageBytes, KeepAlives,
}

// An Absence says what it means that a record lacks a number.
type Absence uint8

const (
	Never   Absence = iota // it is always there
	Zero                   // there was nothing to count
	Unknown                // the capture does not tell
)

// A Row describes a counter.
type Row struct {
	Key    string  // of records; what stands before a dot is the key of an object that it is in
	Doc    string  // in a few words, for the list of numbers that budgets know
	Counts string  // what exactly, for schemas and docs/analysis.md
	Absent Absence // Unknown ones are absent where Known lacks them, Zero ones with their object
}

// Table describes all counters.
var Table = [Counters]Row{
	Frames: {"frames", "UDP datagrams", "datagrams between the two addresses while the connection is open, including copies and " +
		"forged or malformed datagrams", Never},
	Bytes: {"bytes", "their payload", "payload bytes of these datagrams, as the UDP header says, even if the capture cut them", Never},
	DataFrames: {"data_frames", "frames that carry application data", "captured frames with application data or a part of it, " +
		"including copies and retries", Never},
	Acks:    {"acks", "frames that only acknowledge", "captured frames whose only purpose is to acknowledge", Never},
	Retries: {"retries", "transmissions of units sent before", "transmissions of a unit that was sent before; copies made by the network do not count", Never},
	Transmissions: {"sendings", "transmissions that retries are a share of, retries included", "the number of transmissions that `retries` is a " +
		"share of, retries included: data frames, plus keepalives where these are also resent; for kNet's library, messages sent " +
		"reliably, which are what it retries. Budgets use it for `data_frames` in `retries/data_frames`", Never},
	UnneededRetries: {"unneeded_retries", "retries of acknowledged units", "retries of units whose acknowledgement had been captured " +
		"before; absent where acknowledgements cannot be read", Unknown},
	Duplicates: {"duplicates", "copies made by the network or the capture", "extra copies of one datagram, made by the network or the capture", Never},
	OutOfOrder: {"out_of_order", "late first copies", "first copies captured below the highest number; retries and acknowledgements left out", Never},
	Gaps:       {"gaps", "forward jumps of the number", "forward jumps of the highest number, also when filled later", Never},
	Missing:    {"missing", "numbers never captured", "numbers between the lowest and the highest captured that never were", Never},
	LostBefore: {"lost.before_capture", "proved lost before the capture point", "datagrams proved lost before the capture point, never " +
		"more than were: see Losses", Unknown},
	LostAfter:    {"lost.after_capture", "proved lost after the capture point", "datagrams proved lost after the capture point, never more than were", Unknown},
	NotCaptured:  {"lost.not_captured", "proved lost by the capture", "datagrams proved to have arrived that the capture lacks", Unknown},
	Messages:     {"messages", "application messages", "reassembled application messages", Never},
	MessageBytes: {"message_bytes", "their bytes", "bytes of reassembled application messages", Never},
	IncompleteMessages: {"incomplete_messages", "messages that lack a part", "application messages of which only some of the parts were " +
		"captured", Never},
	KeepAlives:             {"keepalives", "keepalives and pings", "captured frames (kNet: messages) that keep the connection alive", Never},
	ValidSignatures:        {"signatures.valid", "signatures that verify", "captured frames whose signature verifies", Zero},
	InvalidSignatures:      {"signatures.invalid", "signatures that do not", "captured frames that must be signed and whose signature is forged, stale or lacking", Zero},
	UnverifiableSignatures: {"signatures.unverifiable", "signatures whose secret is not known", "captured frames that are signed with a secret that is not certain", Zero},
}

// Objects are the keys before a dot, and what their objects hold. That of signatures is
// absent as a whole.
var Objects = map[string]string{
	"lost":       "Datagrams proved lost; a key is absent when nothing can be said.",
	"signatures": "Frames that must be signed, by what their signatures are.",
}
