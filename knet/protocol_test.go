package knet

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestKNet(t *testing.T) { dissecttest.Protocol(t, KNet, dissecttest.AllocFree()) }

func FuzzKNet(f *testing.F) { dissecttest.Fuzz(f, KNet) }
