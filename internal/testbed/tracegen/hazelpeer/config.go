package hazelpeer

import (
	"time"

	"github.com/dpdissect/dpdissect/hazel"
)

// Config is how an endpoint behaves.
type Config struct {
	Dialect      hazel.Dialect // what it writes
	FirstID      int64         // of its first reliable packet
	SkipsZero    bool          // after 65535 comes 1
	SkipsUnacked bool          // ids that are still outstanding are not used again
	Running      bool          // the connection is old already: the first id received is taken for the next

	BareHello bool   // Hello is its id alone
	HelloData []byte // after the version byte

	Secure   bool // in DTLS records
	History  History
	Resend   Resend
	Resends  int // how often Fixed sends a packet again, 0: as the releases do
	Alive    KeepAlive
	Answers  bool  // a Disconnect is answered
	Farewell bool  // giving up is said with a Disconnect
	Fragment int   // bytes of a message in one fragment; 0: it sends none
	Tests    []int // sizes of MTU tests, sent when connected
}

// History is what the byte of history in acknowledgements says.
type History uint8

const (
	NoHistory   History = iota // acknowledgements have 3 bytes
	Missing                    // what is missing, id 0 included (Hazel 885ce22)
	MissingLate                // as it was before the packet acknowledged (Hazel a8b72ec)
	AlwaysFE                   // 11111110 whatever was received (Hazel 2ceee1f)
	AlwaysFF                   // Hindenburg
	AlwaysZero                 // SkeldJS: unrelated to what was received; often this
)

// Resend is the schedule of what is not acknowledged.
type Resend uint8

const (
	Fixed     Resend = iota // 200 ms, doubles; gives up at the fourth expiry (to Hazel v0.1.0)
	RoundTrip               // as Fixed, from twice the mean round trip (Hazel v0.1.1)
	Capped                  // 300 ms, doubles up to 1.5 s; gives up after 5 s (2019-03)
	Additive                // 2 smoothed round trips, 50 to 300 ms; the due time grows by itself, by 1 s at most (2019-10)
)

// KeepAlive is what is sent in silence.
type KeepAlive uint8

const (
	Hello10         KeepAlive = iota // Hello with version byte, 10 s after the last datagram sent or received
	BareHello10                      // Hello of 3 bytes, likewise
	PingResent                       // Ping every 2 s, sent again like data (2019-03)
	Ping                             // Ping 1.5 s after the last reliable packet, never sent again (2019-10)
	EmptyReliable10                  // Reliable without data, likewise (2016-05)
	EmptyReliable2                   // … after 2 s, which the page leaves open
	Silent                           // nothing; for traces that want quiet
)

const (
	fixedFirst   = 200 * time.Millisecond
	fixedResends = 3
	cappedFirst  = 300 * time.Millisecond
	cappedMost   = 1500 * time.Millisecond
	lifetime     = 5 * time.Second
	stepMost     = time.Second
	pingFloor    = 50 * time.Millisecond
	pingCeiling  = 300 * time.Millisecond
	pingStart    = 500 * time.Millisecond
	helloEvery   = 10 * time.Second
	resentEvery  = 2 * time.Second
	emptyEvery   = 2 * time.Second
	pingEvery    = 1500 * time.Millisecond
	pingsMost    = 6
)

func (k KeepAlive) every() time.Duration {
	return [...]time.Duration{helloEvery, helloEvery, resentEvery, pingEvery, helloEvery, emptyEvery, 0}[k]
}

// Frames reports whether applications of the release put messages of the
// library's own writer into payloads.
func (c Config) Frames() bool { return c.Dialect >= hazel.Ack3 }

// speaks is the dialect a reader sees.
func (c Config) speaks() hazel.Dialect {
	if c.Secure {
		return hazel.OverDTLS
	}
	return c.Dialect
}

// Silent reports whether the release gives up without a word.
func (c Config) Silent() bool { return !c.Farewell }

// onAny reports whether any datagram, sent or received, puts the next keep-alive
// off.
func (k KeepAlive) onAny() bool {
	return k == Hello10 || k == BareHello10 || k == EmptyReliable10 || k == EmptyReliable2
}
