package dp4

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestDP4(t *testing.T) { dissecttest.Protocol(t, DP4, dissecttest.AllocFree()) }

func FuzzDP4(f *testing.F) { dissecttest.Fuzz(f, DP4) }

func TestDPL4CS(t *testing.T) { dissecttest.Protocol(t, DPL4CS, dissecttest.AllocFree()) }

func FuzzDPL4CS(f *testing.F) { dissecttest.Fuzz(f, DPL4CS) }
