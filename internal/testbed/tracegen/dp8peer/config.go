package dp8peer

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
)

// Signing modes.
const (
	Unsigned = 0
	Fast     = dp8.SigningFast
	Full     = dp8.SigningFull
)

// Config is how an endpoint behaves.
type Config struct {
	Version    uint32  // what it reports, 0x00010000–0x00010006
	Signing    uint32  // Unsigned, Fast or Full; both ends must agree
	Derive     string  // how it derives the secret modifier: a name of Derivations
	MaxPayload int     // bytes after the masks and signature of a data frame
	Window     int     // at most this many data frames outstanding, up to 64
	Coalesce   bool    // join queued messages when the partner's version allows
	Poll       float64 // chance that a data frame asks for an acknowledgement at once
	Correlate  float64 // chance of a request for a dedicated one; below version 1.5 only
	EndOnLast  bool    // END_STREAM rides on the last data frame when one is queued

	ConnectRetries int // handshake retries

	OtherSecret bool // it signs with another secret than it told
}

// DefaultConfig is a 1.6 endpoint with the recommended values.
func DefaultConfig() Config {
	return Config{Version: dp8.Version16, MaxPayload: 1372, Window: dp8.WindowSize, Coalesce: true,
		Poll: 0.2, ConnectRetries: 14, Derive: "sha1"}
}

// Timers: the recommended values of MC-DPL8R 3.1.2.
const (
	connectPeriod       = 200 * time.Millisecond
	connectPeriodMax    = 5 * time.Second
	ackDelay            = 100 * time.Millisecond
	ackDelayShort       = 20 * time.Millisecond
	sendMaskDelay       = 40 * time.Millisecond
	hardMin             = 10 * time.Millisecond
	hardMax             = 500 * time.Millisecond
	hardCopies          = 3
	retryMax            = 5 * time.Second
	retryFast           = 10 * time.Millisecond
	maxRetries          = 10
	keepAliveAfter      = 25 * time.Second
	keepAliveResolution = 4 * time.Second
)
