package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
)

// dp8Signed break the rules of CONNECTED_SIGNED.
func dp8Signed() []Mutant {
	return slices.Concat(dp8SignedHeader(), dp8SignedSecrets(), dp8SignedOptions(), dp8SignedMeeting())
}

// dp8SignedHeader break the rules of CONNECTED_SIGNED's flags, numbers and version.
func dp8SignedHeader() []Mutant {
	return []Mutant{
		fullTalk().connect().badBytes(first(0x98)).answer().confirm().alive().chat(4).breaks("DP8-2.2.1.3-CMD", "sets another flag"),
		meetsFully("DP8-2.2.1.3-CMD"),
		offers("DP8-2.2.1.3-POLL-LISTENER", "listener clears POLL", func(h *dp8.Handshake) { h.Command = dp8.CFrame }),
		meetsFully("DP8-2.2.1.3-POLL-LISTENER"),
		confirms("DP8-2.2.1.3-POLL-CONNECTOR", "connector sets POLL", func(h *dp8.Handshake) { h.Command |= dp8.Poll }),
		meetsFully("DP8-2.2.1.3-POLL-CONNECTOR"),
		confirms("DP8-2.2.1.3-MSGID", "connector counts from 9", func(h *dp8.Handshake) { h.MsgID = 9 }),
		meetsFully("DP8-2.2.1.3-MSGID"),
		confirms("DP8-2.2.1.3-RSPID", "connector answers number 3", func(h *dp8.Handshake) { h.RspID = 3 }),
		offers("DP8-2.2.1.3-RSPID", "listener answers number 7", func(h *dp8.Handshake) { h.RspID = 7 }),
		meetsFully("DP8-2.2.1.3-RSPID"),
		offers("DP8-2.2.1.3-MAJOR", "says 2.6", func(h *dp8.Handshake) { h.Version = 0x20006 }),
		confirms("DP8-2.2.1.3-MAJOR", "connector says 2.6", func(h *dp8.Handshake) { h.Version = 0x20006 }),
		meetsFully("DP8-2.2.1.3-MAJOR"),
		offers("DP8-2.2.1.3-MINOR-MIN", "says 1.4", func(h *dp8.Handshake) { h.Version = 0x10004 }),
		meetsFully("DP8-2.2.1.3-MINOR-MIN"),
		offers("DP8-2.2.1.3-MINOR-SIGN", "says 1.5", func(h *dp8.Handshake) { h.Version = 0x10005 }, "DP8-SIG-VER"),
		meetsFully("DP8-2.2.1.3-MINOR-SIGN"),
	}
}

// dp8SignedSecrets break the rules of the session that CONNECTED_SIGNED names, of its
// cookie and of its secrets.
func dp8SignedSecrets() []Mutant {
	return []Mutant{
		offers("DP8-2.2.1.3-SESSID", "listener names another session", func(h *dp8.Handshake) { h.SessionID = 99 }),
		confirms("DP8-2.2.1.3-SESSID", "connector names another session", func(h *dp8.Handshake) { h.SessionID = 99 }),
		meetsFully("DP8-2.2.1.3-SESSID"),
		confirms("DP8-2.2.1.3-SIG-ECHO", "last cookie byte differs", func(h *dp8.Handshake) { h.ConnectSig[7] ^= 1 }),
		meetsFully("DP8-2.2.1.3-SIG-ECHO"),
		offers("DP8-2.2.1.3-SIG-COOKIE", "no cookie", func(h *dp8.Handshake) { h.ConnectSig = [8]byte{} }, "DP8-2.2.1.3-SIG-ECHO"),
		meetsFully("DP8-2.2.1.3-SIG-COOKIE"),
		offers("DP8-2.2.1.3-SECRET-LISTENER", "listener sends a secret", func(h *dp8.Handshake) { h.SenderSecret = talkSecrets[0] }),
		meetsFully("DP8-2.2.1.3-SECRET-LISTENER"),
		confirms("DP8-2.2.1.3-SECRET-CONNECTOR", "no receiver secret", func(h *dp8.Handshake) { h.ReceiverSecret = dp8.Secret{} }),
		meetsFully("DP8-2.2.1.3-SECRET-CONNECTOR"),
		fullTalk().connect().answer().confirm().wait(time.Millisecond).bad(spoilHandshake(func(h *dp8.Handshake) { h.SenderSecret[0] ^= 1 })).confirm().alive().chat(4).
			breaks("DP8-2.2.1.3-SECRET-STABLE", "other secrets in the retry"),
		fullTalk().connect().answer().confirm().wait(time.Millisecond).confirm().alive().chat(4).nearly("DP8-2.2.1.3-SECRET-STABLE", "the same secrets in the retry"),
		confirms("DP8-2.2.1.3-SECRET-RANDOM", "the same secret twice", func(h *dp8.Handshake) { h.ReceiverSecret = h.SenderSecret }, "DP8-SIG-FULL"),
		meetsFully("DP8-2.2.1.3-SECRET-RANDOM"),
	}
}

// dp8SignedOptions break the rules of CONNECTED_SIGNED's options and of what it echoes.
func dp8SignedOptions() []Mutant {
	return []Mutant{
		offers("DP8-2.2.1.3-OPTS-ONE", "both modes", func(h *dp8.Handshake) { h.SigningOpts = 3 }),
		confirms("DP8-2.2.1.3-OPTS-ONE", "no mode", func(h *dp8.Handshake) { h.SigningOpts = 0 }),
		meetsFully("DP8-2.2.1.3-OPTS-ONE"),
		offers("DP8-2.2.1.3-OPTS-RESERVED", "another bit", func(h *dp8.Handshake) { h.SigningOpts |= 0x100 }),
		meetsFully("DP8-2.2.1.3-OPTS-RESERVED"),
		confirms("DP8-2.2.1.3-OPTS-MATCH", "connector says fast", func(h *dp8.Handshake) { h.SigningOpts = dp8.SigningFast }, "DP8-SIG-FAST"),
		meetsFully("DP8-2.2.1.3-OPTS-MATCH"),
		offers("DP8-2.2.1.3-ECHO-ZERO", "listener echoes", func(h *dp8.Handshake) { h.EchoTimestamp = 1234 }),
		meetsFully("DP8-2.2.1.3-ECHO-ZERO"),
		confirms("DP8-2.2.1.3-ECHO-MATCH", "echoes 0", func(h *dp8.Handshake) { h.EchoTimestamp = 0 }),
		meetsFully("DP8-2.2.1.3-ECHO-MATCH"),
	}
}

// dp8SignedMeeting break the rules of when CONNECTED_SIGNED is sent, and of what must
// follow it.
func dp8SignedMeeting() []Mutant {
	return []Mutant{
		newTalk().connect().odd(func(f *dp8.Frame) {}).answer().bad(func(f *dp8.Frame) {
			g := newTalk().signed(dp8.SigningFull)
			*f = g.handshake(0, dp8.OpConnectedSigned, dp8.CFrame, 0)
			f.Handshake.SenderSecret, f.Handshake.ReceiverSecret, f.Handshake.SigningOpts = talkSecrets[0], talkSecrets[1], dp8.SigningFull
		}).confirm().alive().chat(4).breaks("DP8-3.1.5.1.3-MIX", "signs an unsigned handshake"),
		fullTalk().connect().answer().bad(func(f *dp8.Frame) { *f = newTalk().handshake(0, dp8.OpConnected, dp8.CFrame, 0) }).confirm().alive().chat(4).breaks("DP8-3.1.5.1.3-MIX", "does not sign"),
		meetsFully("DP8-3.1.5.1.3-MIX"),
		fine("DP8-3.1.5.1.2-UNSOLICITED", clean),
		fullTalk().connect().answer().wait(200*time.Millisecond).answer().wait(400*time.Millisecond).bad(func(*dp8.Frame) {}).answer().confirm().alive().chat(30).
			breaks("DP8-3.1.5.1.3-STATELESS", "listener repeats its offer"),
		fullTalk().connect().answer().wait(200*time.Millisecond).connect().answer().confirm().alive().chat(4).nearly("DP8-3.1.5.1.3-STATELESS", "answers each CONNECT"),
		fullTalk().connect().answer().confirm().bad(func(*dp8.Frame) {}).data(connector).keepAlive(listener).chat(6).breaks("DP8-3.1.5.1.3-KA-CONNECTOR", "no KeepAlive"),
		meetsFully("DP8-3.1.5.1.3-KA-CONNECTOR"),
		fullTalk().connect().answer().confirm().keepAlive(connector).bad(func(*dp8.Frame) {}).data(listener).chat(6).breaks("DP8-3.1.5.1.3-KA-LISTENER", "no KeepAlive"),
		meetsFully("DP8-3.1.5.1.3-KA-LISTENER"),
		unheard().breaks("DP8-3.1.5.1.3-RECONFIRM", "confirms once"),
		fullTalk().connect().answer().confirm().keepAlive(connector).wait(100*time.Millisecond).answer().confirm().keepAlive(listener).chat(4).nearly("DP8-3.1.5.1.3-RECONFIRM", "confirms again"),
	}
}

// fullTalk is a talk with full signing.
func fullTalk() *talk { return newTalk().signed(dp8.SigningFull) }

// meetsFully is a near miss: both sides meet as they should.
func meetsFully(rule string) Mutant {
	return fullTalk().meet().chat(4).nearly(rule, "meets as it should")
}

// offers has the listener make a faulty offer.
func offers(rule, name string, spoil func(h *dp8.Handshake), also ...string) Mutant {
	return fullTalk().connect().bad(spoilHandshake(spoil)).answer().confirm().alive().chat(4).breaks(rule, name, also...)
}

// confirms has the connector make a faulty confirmation.
func confirms(rule, name string, spoil func(h *dp8.Handshake), also ...string) Mutant {
	return fullTalk().connect().answer().bad(spoilHandshake(spoil)).confirm().alive().chat(4).breaks(rule, name, also...)
}

// unheard is a connector that does not confirm again.
func unheard() *talk {
	t := newTalk().signed(dp8.SigningFull).connect().answer().confirm().bad(func(*dp8.Frame) {}).keepAlive(connector)
	for range 10 {
		t.wait(300 * time.Millisecond).answer().data(connector).data(connector).data(connector).data(connector).data(connector)
	}
	return t
}
