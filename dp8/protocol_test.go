package dp8

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestDP8(t *testing.T) { dissecttest.Protocol(t, DP8, dissecttest.AllocFree()) }

func FuzzDP8(f *testing.F) { dissecttest.Fuzz(f, DP8) }
