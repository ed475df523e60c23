package knetpeer

import (
	"time"

	"github.com/dpdissect/dpdissect/knet"
)

// Config is how an endpoint behaves.
type Config struct {
	Dialect     knet.Dialect
	IDs         knet.IDMap // of the four lowest control messages
	FirstID     int64      // PacketID of the first datagram, unwrapped
	FirstNumber int64      // library: reliable number of the first message

	Hello []byte // client: content of the connect datagram, or of ConnectSyn
	Reply []byte // server, page: content of ConnectSynAck

	Skips   bool  // library: some messages are replaced before they are sent, which leaves their numbers out
	NewIDs  bool  // page: what is sent again takes a new PacketID
	Scatter bool  // page: fragments leave in any order
	Stride  int64 // PacketIDs grow by, 0 for one

	WordFirst bool // page: the bits of a PacketAck begin in its u32
}

// Times and sizes of the library (juj/kNet 715850d, UDPMessageConnection.cpp).
const (
	libraryPoll      = 10 * time.Millisecond
	libraryResend    = 5 * time.Second         // 584
	libraryPing      = 3500 * time.Millisecond // 50
	libraryLost      = 15 * time.Second        // looked at when it pings
	libraryPace      = time.Millisecond        // 301: 1000 datagrams a second
	libraryTimeout   = 2 * time.Second         // an application's, for the DisconnectAck
	libraryAcks      = 33                      // pending: flushed at once
	libraryRoom      = 1400                    // of the estimate of a datagram's size
	libraryHeader    = 7                       // of the estimate
	libraryOverhead  = 30                      // of the estimate, for each message
	libraryUnsplit   = 1368                    // body bytes
	libraryFragment  = 1400/4 - 32
	libraryMaxDelta  = 32767
	ackDelay         = 33 * time.Millisecond
	firstTransferLib = 1 // 0 is never used
)

// Times and sizes of the page, Characteristic Values.
const (
	pageResend      = 2 * time.Second
	pagePing        = 5 * time.Second
	pageLost        = 15 * time.Second
	pageConnect     = 10 * time.Second
	pageDisconnect  = 5 * time.Second
	pageRetry       = 2 * time.Second // of the handshake; the page names none
	pageGather      = 4 * time.Millisecond
	pageRate        = 15 // datagrams a second
	pageMinRate     = 5
	pageMaxSends    = 50
	pageFragment    = 470
	pageRoom        = 1400
	pageOverhead    = 12 // of a message, at most, dependencies left out
	pageAckDelay    = ackDelay - 3*time.Millisecond
	pageMaxDelta    = 300 // farther back, everything was applied long ago
	pageDataShare   = 3   // of 4 parts of the rate; the rest is for acknowledgements
	pageRateDivisor = 4
)

// Library is the library as it is since 2011-02.
func Library() Config {
	return Config{Dialect: knet.Reference, IDs: knet.IDsFromOne, FirstID: 1, Hello: make([]byte, 8)}
}

// Library2010 is the library before 2011-02.
func Library2010() Config {
	c := Library()
	c.IDs, c.FirstID = knet.IDsFromZero, 0
	return c
}

// Page is the page.
func Page() Config {
	return Config{Dialect: knet.Spec, IDs: knet.IDsFromZero, Hello: []byte("robin:let me in"), Reply: []byte("welcome")}
}

// PageLate is the page with the ids of its later revision.
func PageLate() Config {
	c := Page()
	c.IDs = knet.IDsFromOne
	return c
}

func (c *Config) library() bool { return c.Dialect == knet.Reference }

func (c *Config) params() knet.Params {
	return knet.Params{Dialect: c.Dialect, IDs: c.IDs, WordFirst: c.WordFirst}
}
