package hazel

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestHazel(t *testing.T) { dissecttest.Protocol(t, Hazel, dissecttest.AllocFree()) }
func TestDTLS(t *testing.T)  { dissecttest.Protocol(t, DTLS, dissecttest.AllocFree()) }

// The checks want names without a hyphen, which this one has by agreement.
func TestLAN(t *testing.T) {
	p := *LAN
	p.Name = "lan"
	for i := range LANFields {
		name := LANFields[i].Name
		LANFields[i].Name = strings.TrimPrefix(name, "hazel-")
		defer func() { LANFields[i].Name = name }()
	}
	dissecttest.Protocol(t, &p, dissecttest.AllocFree())
}

func FuzzHazel(f *testing.F) { dissecttest.Fuzz(f, Hazel) }
func FuzzDTLS(f *testing.F)  { dissecttest.Fuzz(f, DTLS) }
