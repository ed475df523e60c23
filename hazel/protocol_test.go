package hazel

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestHazel(t *testing.T) { dissecttest.Protocol(t, Hazel, dissecttest.AllocFree()) }
func TestDTLS(t *testing.T)  { dissecttest.Protocol(t, DTLS, dissecttest.AllocFree()) }

func TestLAN(t *testing.T) { dissecttest.Protocol(t, LAN, dissecttest.AllocFree()) }

func FuzzHazel(f *testing.F) { dissecttest.Fuzz(f, Hazel) }
func FuzzDTLS(f *testing.F)  { dissecttest.Fuzz(f, DTLS) }
