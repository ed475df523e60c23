package tracegen

// Schema names the form of a truth file.
const Schema = "dpdissect/truth/1"

// Truth is what is known of a trace and not written in its capture. Names,
// units and ways of counting are those of the analysis document; what goes
// beyond it says so.
type Truth struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	Clause string `json:"clause"` // where the text says it
	Proves string `json:"proves"` // what a reader that gets it right has shown
	Expect string `json:"expect"` // the outcome
	Seed   uint64 `json:"seed"`

	Packets     int   `json:"packets"`
	Datagrams   int   `json:"udp_datagrams"`
	IPFragments int   `json:"ip_fragments"`
	NotUDP      int   `json:"not_udp"`
	Forged      []int `json:"forged_frames,omitempty"` // sent by a third party
	Malformed   int   `json:"malformed,omitempty"`
	// Neighbours counts datagrams of no connection, by the protocol of their records.
	Neighbours  map[string]int `json:"neighbours,omitempty"`
	Connections []Connection   `json:"connections"`
	Frames      []Frame        `json:"frames,omitempty"` // captured datagrams, when the trace is small
	Uncaptured  []Frame        `json:"uncaptured,omitempty"`
}

// A Connection is the truth of one connection. Directions are named a and b as
// in the analysis: a sent the first captured frame, of this connection or of one that it
// succeeds (truthWatch.succeed).
type Connection struct {
	Protocol  string   `json:"protocol"`
	A         Side     `json:"a"`
	B         Side     `json:"b"`
	Players   []uint32 `json:"players,omitempty"` // indexes of a and b
	SessionID string   `json:"session_id,omitempty"`
	Version   string   `json:"version,omitempty"`
	Signing   string   `json:"signing,omitempty"`
	Complete  bool     `json:"complete"`
	State     string   `json:"state,omitempty"` // absent where the capture does not tell
	ClosedBy  string   `json:"closed_by,omitempty"`
	First     int      `json:"first_frame"`
	Last      int      `json:"last_frame"`

	Secrets    *Secrets             `json:"secrets,omitempty"`
	Directions map[string]Direction `json:"directions"`
}

// A Side is one end.
type Side struct {
	Address string `json:"address"`
	Role    string `json:"role,omitempty"`
	Version string `json:"version,omitempty"`
}

// Secrets are what a secrets file says, 16 hex digits each, in wire order.
type Secrets struct {
	Connector string `json:"connector"`
	Listener  string `json:"listener"`
	// InForce are those in force at the first captured frame of each side.
	InForceConnector string `json:"in_force_connector"`
	InForceListener  string `json:"in_force_listener"`
	Needed           bool   `json:"needed"` // the capture does not show them
}

// A Direction counts what one side sent.
type Direction struct {
	Dialect         string `json:"dialect,omitempty"`        // what the side speaks
	Proven          bool   `json:"dialect_proven,omitempty"` // by bytes captured
	Frames          int    `json:"frames"`
	Bytes           int    `json:"bytes"`
	DataFrames      int    `json:"data_frames"` // forged frames left out, as in acks, keepalives, signatures
	Acks            int    `json:"acks"`
	Retries         int    `json:"retries"`
	UnneededRetries int    `json:"unneeded_retries"`
	Duplicates      int    `json:"duplicates"`
	OutOfOrder      int    `json:"out_of_order"`
	Gaps            int    `json:"gaps"`
	Missing         int    `json:"missing"`
	KeepAlives      int    `json:"keepalives"`

	Lost       Lost        `json:"lost"`
	Signatures *Signatures `json:"signatures,omitempty"`
	RTT        *RTT        `json:"rtt,omitempty"`

	NMessages    int    `json:"messages"`
	MessageBytes int    `json:"message_bytes"`
	Incomplete   int    `json:"incomplete_messages"`
	Digest       string `json:"messages_sha256,omitempty"` // over all visible messages, by number, then as they became whole, then by place in the frame; last those without number, as captured

	// Beyond the analysis document.
	Transmissions int            `json:"transmissions"` // datagrams sent, forged ones left out
	Numbered      int            `json:"numbered_duplicates"`
	Forged        map[string]int `json:"forged,omitempty"`           // captured, by kind
	ForgedTypes   map[string]int `json:"forged_by_type,omitempty"`   // captured, by frame type
	FirstNumber   *int64         `json:"first_number,omitempty"`     // of a data frame captured, unwrapped
	HighestNumber *int64         `json:"highest_number,omitempty"`   // as above
	Undelivered   int            `json:"reliable_undelivered"`       // messages handed over and never delivered
	Sent          int            `json:"messages_sent"`              // messages whose first frame was sent
	Coalesced     int            `json:"coalesced_frames,omitempty"` // captured
	SendMasks     int            `json:"send_mask_frames,omitempty"` // captured
	SACKMasks     int            `json:"sack_mask_frames,omitempty"` // captured
	MaxFlight     int            `json:"max_outstanding,omitempty"`  // at the sender
	Epochs        int64          `json:"secret_rotations,omitempty"` // by the numbers captured
	Messages      []Message      `json:"message_list,omitempty"`
	UnverifiedOf  []int64        `json:"unverifiable_epochs,omitempty"` // whose secret the capture does not give
}

// Lost says per transmission where it was lost. An analysis may claim less,
// never more.
type Lost struct {
	Before      int `json:"before_capture"`
	After       int `json:"after_capture"`
	NotCaptured int `json:"not_captured"`
	Outside     int `json:"outside_capture_time"`
}

// Signatures counts captured frames that must be signed, copies included.
type Signatures struct {
	Valid        int `json:"valid"`
	Invalid      int `json:"invalid"` // forged with a signature that is wrong
	Unverifiable int `json:"unverifiable"`
	Unsigned     int `json:"forged_unsigned"` // forged without any
}

// RTT is measured at the capture point.
type RTT struct {
	Samples int     `json:"samples"`
	Min     float64 `json:"min_ms"`
	P50     float64 `json:"p50_ms"`
	P95     float64 `json:"p95_ms"`
	Max     float64 `json:"max_ms"`
}

// A Message is one application message that left at least one part in the
// capture.
type Message struct {
	Number     int64  `json:"number"` // as the analysis counts, -1 for none
	Size       int    `json:"size"`
	SHA256     string `json:"sha256_start"` // 16 hex digits
	Reliable   bool   `json:"reliable"`
	Sequential bool   `json:"ordered"`
	Visible    bool   `json:"visible"` // all its parts are captured
	Parts      int    `json:"frames"`
	Delivered  bool   `json:"delivered"`
}

// A Frame is one captured datagram, or one that was not captured.
type Frame struct {
	Frame     int    `json:"f,omitempty"`
	Conn      int    `json:"c,omitempty"`
	Dir       string `json:"d"`
	Type      string `json:"type"`
	Seq       int64  `json:"seq"` // the number; DP8's SACK: the next; -1 for none
	Retry     bool   `json:"retry,omitempty"`
	Copy      int    `json:"copy,omitempty"` // 1 for the first extra copy
	Lost      string `json:"lost,omitempty"` // before, after, not-captured, outside
	Messages  []int  `json:"m,omitempty"`
	Forged    string `json:"forged,omitempty"`
	Malformed bool   `json:"malformed,omitempty"`
	Neighbour string `json:"neighbour,omitempty"` // of no connection

	// As records of frames have them; not told of DP8.
	Words   []string `json:"words,omitempty"`    // retry, unneeded-retry, duplicate, out-of-order, gap, gap-filled
	RetryOf int      `json:"retry_of,omitempty"` // first captured frame of the number, for retries and copies
	AckedIn int      `json:"acked_in,omitempty"`
}
