package dp4

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// Signature begins every message of the DirectPlay 4 core, after the service
// provider's header where that stands (MC-DPL4CS 2.2.6).
const Signature = "play"

const (
	coreHead = 8                 // signature, command and version
	coreSize = spSize + coreHead // with the service provider's header
)

// IsCore reports whether data begins with the signature of a core message.
func IsCore(data []byte) bool {
	return len(data) >= coreHead && string(data[:4]) == Signature
}

// CoreCommand gives the command and version of a core message in data. Command
// stands before version on the wire.
func CoreCommand(data []byte) (command, version uint16, ok bool) {
	if !IsCore(data) {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint16(data[4:]), binary.LittleEndian.Uint16(data[6:]), true
}

// CoreName is the name of a command of the core without its prefix DPSP_MSG_,
// or "".
func CoreName(command uint16) string {
	if int(command) < len(coreNames) {
		return coreNames[command]
	}
	return ""
}

func addCore(r *dissect.Reader, data []byte) {
	command, version, ok := CoreCommand(data)
	if name := CoreName(command); ok && name != "" && r.OK() {
		r.Tree().AddText(&Fields[fCore], r.Pos()-len(data), name)
		r.Tree().Add(&Fields[fCoreVersion], r.Pos()-len(data), 0, uint64(version))
	}
}

// coreNames are the commands of MC-DPL4CS 2.2, DPSP_MSG_ left out.
var coreNames = [...]string{
	0x01: "ENUMSESSIONSREPLY", 0x02: "ENUMSESSIONS", 0x03: "ENUMPLAYERSREPLY", 0x04: "ENUMPLAYER",
	0x05: "REQUESTPLAYERID", 0x06: "REQUESTGROUPID", 0x07: "REQUESTPLAYERREPLY",
	0x08: "CREATEPLAYER", 0x09: "CREATEGROUP", 0x0A: "PLAYERMESSAGE", 0x0B: "DELETEPLAYER", 0x0C: "DELETEGROUP",
	0x0D: "ADDPLAYERTOGROUP", 0x0E: "DELETEPLAYERFROMGROUP",
	0x0F: "PLAYERDATACHANGED", 0x10: "PLAYERNAMECHANGED", 0x11: "GROUPDATACHANGED", 0x12: "GROUPNAMECHANGED",
	0x13: "ADDFORWARDREQUEST", 0x15: "PACKET", 0x16: "PING", 0x17: "PINGREPLY", 0x18: "YOUAREDEAD",
	0x19: "PLAYERWRAPPER", 0x1A: "SESSIONDESCCHANGED",
	0x1C: "CHALLENGE", 0x1D: "ACCESSGRANTED", 0x1E: "LOGONDENIED", 0x1F: "AUTHERROR", 0x20: "NEGOTIATE",
	0x21: "CHALLENGERESPONSE", 0x22: "SIGNED", 0x24: "ADDFORWARDREPLY", 0x25: "ASK4MULTICAST", 0x26: "ASK4MULTICASTGUARANTEED",
	0x27: "ADDSHORTCUTTOGROUP", 0x28: "DELETEGROUPFROMGROUP", 0x29: "SUPERENUMPLAYERSREPLY",
	0x2B: "KEYEXCHANGE", 0x2C: "KEYEXCHANGEREPLY", 0x2D: "CHAT", 0x2E: "ADDFORWARD", 0x2F: "ADDFORWARDACK",
	0x30: "PACKET2_DATA", 0x31: "PACKET2_ACK", 0x35: "IAMNAMESERVER", 0x36: "VOICE", 0x37: "MULTICASTDELIVERY",
	0x38: "CREATEPLAYERVERIFY",
}
