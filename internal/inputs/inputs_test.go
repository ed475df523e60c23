package inputs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
)

// A file of secrets is read whole or not at all: with a part of the secrets, frames would be
// judged without their own.
func TestSecretsBeyondTheBound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(path, []byte(strings.Repeat("# \n", maxSecrets/3+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	x := Tracking{Secrets: path}
	if _, err := x.Config(nil); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("%v", err)
	}
}

// What is wrong with these flags is the command line's fault, in both programs.
func TestTrackingErrors(t *testing.T) {
	for _, tt := range []struct {
		flags Tracking
		want  string
	}{
		{Tracking{DecodeAs: []string{"2302"}}, "2302"},
		{Tracking{Only: []string{"dp9"}}, "--protocols: "},
		{Tracking{Secret: []string{"1:2"}}, "--secret: "},
		{Tracking{Secrets: "1:2:3"}, "--secrets reads a file"},
	} {
		_, err := tt.flags.Config(nil)
		if exit.Of(err) != exit.Usage || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: code %d, %v", tt.flags, exit.Of(err), err)
		}
	}
	x := Tracking{Only: []string{"dp8"}}
	if cfg, err := x.Config(nil); err != nil || len(cfg.Protocols) != 1 || cfg.Protocols[0].Name != "dp8" {
		t.Errorf("%v, %d protocols", err, len(cfg.Protocols))
	}
}
