package dp8

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// CoreMessage names the DirectPlay core message a payload with USER_1 starts
// with (dwPacketType, MC-DPL8CS 2.2.1), or gives "".
func CoreMessage(payload []byte) string {
	if len(payload) < 4 {
		return ""
	}
	if n := binary.LittleEndian.Uint32(payload); n >= 0xC1 && n < 0xC1+uint32(len(coreNames)) {
		return coreNames[n-0xC1]
	}
	return ""
}

func addCore(r *dissect.Reader, payload []byte) {
	if s := CoreMessage(payload); s != "" && r.OK() {
		r.Tree().AddText(&Fields[fCore], r.Pos()-len(payload), s)
	}
}

// coreNames starts at type 0xC1.
var coreNames = [...]string{
	"PLAYER_CONNECT_INFO", "SEND_CONNECT_INFO", "ACK_CONNECT_INFO", "SEND_PLAYER_DNID", // C1–C4
	"CONNECT_FAILED", "INSTRUCT_CONNECT", "INSTRUCTED_CONNECT_FAILED", "CONNECT_ATTEMPT_FAILED", // C5–C8
	"NAMETABLE_VERSION", "RESYNC_VERSION", "REQ_NAMETABLE_OP", "ACK_NAMETABLE_OP", // C9–CC
	"HOST_MIGRATE", "HOST_MIGRATE_COMPLETE", "", // CD–CF
	"ADD_PLAYER", "DESTROY_PLAYER", "REQ_CREATE_GROUP", "REQ_ADD_PLAYER_TO_GROUP", // D0–D3
	"REQ_DELETE_PLAYER_FROM_GROUP", "REQ_DESTROY_GROUP", "REQ_UPDATE_INFO", "CREATE_GROUP", // D4–D7
	"DESTROY_GROUP", "ADD_PLAYER_TO_GROUP", "DELETE_PLAYER_FROM_GROUP", "UPDATE_INFO", // D8–DB
	"", "", "", "TERMINATE_SESSION", // DC–DF
	"REQ_PROCESS_COMPLETION", "PROCESS_COMPLETION", "REQ_INTEGRITY_CHECK", "INTEGRITY_CHECK", // E0–E3
	"INTEGRITY_CHECK_RESPONSE", // E4
}
