package lab

import (
	"github.com/dpdissect/dpdissect/dp8"
)

// dp8Connected break the rules of CONNECTED.
func dp8Connected() []Mutant {
	return []Mutant{
		{Rule: "DP8-2.2.1.2-POLL-LISTENER", Name: "listener clears POLL", On: "dp8/unsigned-clean",
			Tamper: eachDatagram(func(p []byte, side int) bool {
				return side == 1 && isOpcode(p, dp8.OpConnected) && flip(p, 0, byte(dp8.Poll))
			})},
		{Rule: "DP8-2.2.1.2-POLL-LISTENER", Name: "leaves all as it is", Near: true, On: "dp8/unsigned-clean"},
		{Rule: "DP8-2.2.1.2-POLL-CONNECTOR", Name: "connector sets POLL", On: "dp8/unsigned-clean",
			Tamper: eachDatagram(func(p []byte, side int) bool {
				return side == 0 && isOpcode(p, dp8.OpConnected) && flip(p, 0, byte(dp8.Poll))
			})},
	}
}

func isOpcode(p []byte, op byte) bool {
	return len(p) > 1 && p[0]&byte(dp8.Data) == 0 && p[0]&byte(dp8.CFrame) != 0 && p[1] == op
}
