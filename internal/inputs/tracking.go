// Package inputs is what commands of both programs share about what they read: what is looked for
// in packets, and how it is told what was wrong with a file.
package inputs

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/dp8"
	dp8track "github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
)

// Tracking is the flags that say what packets are of.
type Tracking struct {
	DecodeAs []string // rules of -d
	Only     []string // names of protocols, nil for all
	Secrets  string   // file of signing secrets, "" for none
	Secret   []string // signing secrets themselves, one connection each
}

// Add adds the flags but for --secret.
func (t *Tracking) Add(f *pflag.FlagSet) {
	f.StringArrayVarP(&t.DecodeAs, "decode-as", "d", nil, "force the protocol of ports by a `RULE` such as udp.port==2302,dp8; also 2300-2400 or 2300:8, and dp8:DIALECT")
	f.StringSliceVar(&t.Only, "protocols", nil, "look only for these protocols, a comma-separated `LIST`")
	f.StringVar(&t.Secrets, "secrets", "", "read signing secrets from `FILE`")
}

// AddSecret adds --secret, which other users of the machine can read in the list of processes.
func (t *Tracking) AddSecret(f *pflag.FlagSet) {
	f.StringArrayVar(&t.Secret, "secret", nil, "the signing secrets of one connection: `SECRET` is SESSID:SENDER:RECEIVER[:fast|full][:current]")
}

// Config makes the tracker's configuration. change, where it is not nil, changes what DirectPlay 8
// is told.
func (t *Tracking) Config(change func(*dp8track.Options)) (cfg session.Config, err error) {
	var o dp8track.Options
	if o.Secrets, err = t.AllSecrets(); err != nil {
		return cfg, err
	}
	if change != nil {
		change(&o)
	}
	all := protocols.All(protocols.Options{DP8: o})
	cfg.Protocols = all
	for _, s := range t.DecodeAs {
		f, err := protocols.ParseForce(s, all)
		if err != nil {
			return cfg, exit.AsUsage(err)
		}
		cfg.Force = append(cfg.Force, f)
	}
	if t.Only != nil {
		cfg.Protocols = nil
	}
	for _, name := range t.Only {
		p, err := protocols.Named(name, all)
		if err != nil {
			return cfg, exit.Usagef("--protocols: %w", err)
		}
		cfg.Protocols = append(cfg.Protocols, p)
	}
	return cfg, nil
}

// maxSecrets is how large a file of secrets may be, in bytes.
const maxSecrets = 16 << 20

// AllSecrets reads the secrets given by file and by flag.
func (t *Tracking) AllSecrets() ([]dp8.SuppliedSecrets, error) {
	var all []dp8.SuppliedSecrets
	if t.Secrets != "" {
		f, err := os.Open(t.Secrets)
		if err != nil && strings.Count(t.Secrets, ":") > 1 { // which must not be repeated
			return nil, exit.Usagef("--secrets reads a file; to give a secret itself, use --secret")
		}
		if err != nil {
			return nil, fmt.Errorf("--secrets: %w", err)
		}
		defer f.Close()
		if all, err = dp8.ParseSecrets(t.Secrets, newBounded(f, t.Secrets, maxSecrets)); err != nil {
			return nil, err
		}
	}
	for _, s := range t.Secret {
		one, err := dp8.ParseSecret(s)
		if err != nil {
			return nil, exit.Usagef("--secret: %w", err)
		}
		all = append(all, one)
	}
	return all, nil
}
