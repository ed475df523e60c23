package hazelpeer

import "github.com/dpdissect/dpdissect/hazel"

// fragmentOld is the largest part of a message in one datagram (Hazel v0.1.2
// Fragmented.cs).
const fragmentOld = 65507 - 7

// Releases of the library, by the date of their format.

// May14 is Hazel 55d0574.
func May14() Config {
	return Config{Dialect: hazel.May14, FirstID: 1, SkipsUnacked: true, BareHello: true, Alive: EmptyReliable10}
}

// May30 is Hazel 544fedd.
func May30() Config {
	c := May14()
	c.Dialect = hazel.May30
	return c
}

// Page is Hazel 5acdf3f, which the page describes.
func Page() Config {
	c := May14()
	c.Dialect, c.Alive = hazel.Spec, BareHello10
	return c
}

// PageLate is Hazel e001519: Hello has a version and data.
func PageLate() Config {
	c := Page()
	c.BareHello, c.Alive, c.HelloData = false, Hello10, []byte("player one")
	return c
}

// Open is another implementation of the page: its first id, the interval of its keep-alives,
// how often it sends again and that it says so when it gives up are its own.
func Open(first int64) Config {
	c := Page()
	c.FirstID, c.Alive, c.Resends, c.Farewell = first, EmptyReliable2, 6, true
	return c
}

// V012 is Hazel v0.1.2, of 2017-01.
func V012() Config {
	c := PageLate()
	c.Dialect, c.Resend, c.Fragment = hazel.V01, RoundTrip, fragmentOld
	return c
}

// Ack3Early is the library of 2019-03: Disconnects are not answered yet.
func Ack3Early() Config {
	return Config{Dialect: hazel.Ack3, FirstID: 1, HelloData: []byte("player one"), Resend: Capped, Alive: PingResent, Farewell: true}
}

// Ack3 is the library of 2019-10.
func Ack3() Config {
	c := Ack3Early()
	c.Resend, c.Alive, c.Answers = Additive, Ping, true
	return c
}

// FE is Hazel 2ceee1f, of 2020-04: every history says the same.
func FE() Config {
	c := Ack3()
	c.Dialect, c.History = hazel.Current, AlwaysFE
	return c
}

// Sep20 is the library of 2020-09: a history lags after its packet.
func Sep20() Config {
	c := FE()
	c.History = MissingLate
	return c
}

// One is the library of 2022: the first id is 1, histories are right and count
// id 0 as missing.
func One() Config {
	c := FE()
	c.History = Missing
	return c
}

// Now is Hazel c6a228c, of 2025-11: the first id is 0.
func Now() Config {
	c := One()
	c.FirstID = 0
	return c
}

// Fork is Hazel pull request 36, of 2021-12.
func Fork() Config {
	c := One()
	c.Dialect, c.Fragment, c.Tests = hazel.Fork36, 1000, []int{508, 1024, 1392, 1424, 1432}
	return c
}

// Skeld is a client of SkeldJS.
func Skeld() Config {
	c := One()
	c.History, c.SkipsZero = AlwaysZero, true
	return c
}

// Secure is Now over DTLS.
func Secure() Config {
	c := Now()
	c.Secure = true
	return c
}
