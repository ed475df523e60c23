package dp8

import (
	"encoding/binary"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestMC_DPL8CS_2_2_1_CoreMessages(t *testing.T) {
	for id, want := range map[uint32]string{
		0: "", 0xC0: "", 0xC1: "PLAYER_CONNECT_INFO", 0xC2: "SEND_CONNECT_INFO", 0xC3: "ACK_CONNECT_INFO", 0xC4: "SEND_PLAYER_DNID",
		0xC5: "CONNECT_FAILED", 0xC6: "INSTRUCT_CONNECT", 0xC7: "INSTRUCTED_CONNECT_FAILED", 0xC8: "CONNECT_ATTEMPT_FAILED",
		0xC9: "NAMETABLE_VERSION", 0xCA: "RESYNC_VERSION", 0xCB: "REQ_NAMETABLE_OP", 0xCC: "ACK_NAMETABLE_OP", 0xCD: "HOST_MIGRATE",
		0xCE: "HOST_MIGRATE_COMPLETE", 0xCF: "", 0xD0: "ADD_PLAYER", 0xD1: "DESTROY_PLAYER", 0xD2: "REQ_CREATE_GROUP",
		0xD3: "REQ_ADD_PLAYER_TO_GROUP", 0xD4: "REQ_DELETE_PLAYER_FROM_GROUP", 0xD5: "REQ_DESTROY_GROUP", 0xD6: "REQ_UPDATE_INFO",
		0xD7: "CREATE_GROUP", 0xD8: "DESTROY_GROUP", 0xD9: "ADD_PLAYER_TO_GROUP", 0xDA: "DELETE_PLAYER_FROM_GROUP", 0xDB: "UPDATE_INFO",
		0xDC: "", 0xDD: "", 0xDE: "", 0xDF: "TERMINATE_SESSION", 0xE0: "REQ_PROCESS_COMPLETION", 0xE1: "PROCESS_COMPLETION",
		0xE2: "REQ_INTEGRITY_CHECK", 0xE3: "INTEGRITY_CHECK", 0xE4: "INTEGRITY_CHECK_RESPONSE", 0xE5: "", 0x1C1: "", 0xFFFFFFFF: "",
	} {
		if got := CoreMessage(binary.LittleEndian.AppendUint32(nil, id)); got != want {
			t.Errorf("%#x: %q, want %q", id, got, want)
		}
	}
	if CoreMessage([]byte{0xC1, 0, 0}) != "" || CoreMessage(nil) != "" {
		t.Error("a message shorter than its type has a name")
	}
}

// USER_1 marks core messages, in a frame of its own and in a coalesced part.
func TestMC_DPL8CS_2_2_1_CoreMessageRow(t *testing.T) {
	text := func(s string) string {
		_, tree := mustDecode(t, dissecttest.Unhex(t, s), unsigned16)
		if n := tree.Find(&Fields[fCore]); n != nil {
			return tree.Text(n)
		}
		return ""
	}
	for s, want := range map[string]string{
		"7f 00 01 02 c2 00 00 00 00":                                  "SEND_CONNECT_INFO",
		"3f 00 01 02 c2 00 00 00 00":                                  "",
		"7f 00 01 02 c2 00 00":                                        "",
		"37 04 02 00 03 06 04 45 41 42 43 00 d0 00 00 00":             "ADD_PLAYER",
		"37 04 02 00 03 46 04 05 41 42 43 00 d0 00 00 00":             "",
		"37 04 02 00 04 46 04 05 d1 00 00 00 d0 00 00 00":             "DESTROY_PLAYER",
		"77 04 05 00 08 42 00 05 d0 00 00 00 11 22 33 44":             "ADD_PLAYER",
		"3f 02 00 00 c1 00 00 00":                                     "", // a session id
		"7f 02 00 00 c1 00 00 00":                                     "",
		"7f 00 01 02 c1 00 00 00 " + "00 00 00 00 00 00 00 00 00 00 ": "PLAYER_CONNECT_INFO",
	} {
		if got := text(s); got != want {
			t.Errorf("%s: %q, want %q", s, got, want)
		}
	}
}
