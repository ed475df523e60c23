package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/fleet"
	"github.com/dpdissect/dpdissect/internal/fleet/server"
)

// connection is the flags of commands that use the queue.
type connection struct {
	server, prefix string
	creds, nkey    string
	ca, cert, key  string
	wait           time.Duration
	noWait         bool
}

// add adds the flags. wait is how long the command waits for a queue that is away, 0 for ever.
func (c *connection) add(cmd *cobra.Command, wait time.Duration) {
	f := cmd.Flags()
	f.StringVar(&c.server, "server", "nats://"+server.Usual, "`URL` of the queue, of several servers with commas")
	f.StringVar(&c.prefix, "prefix", "dpd", "`NAME` that streams, subjects and buckets begin with")
	f.StringVar(&c.creds, "creds", "", "`FILE` with the credentials of a user")
	f.StringVar(&c.nkey, "nkey", "", "`FILE` with the seed of a user's nkey")
	f.StringVar(&c.ca, "tls-ca", "", "`FILE` with the certificates that that of the server is checked with")
	f.StringVar(&c.cert, "tls-cert", "", "`FILE` with a certificate of this client")
	f.StringVar(&c.key, "tls-key", "", "`FILE` with its key")
	f.DurationVar(&c.wait, "wait", wait, "`DURATION` for which a queue is waited for that can't be reached or has no quorum; 0 is for ever")
}

var prefixes = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// options are what the flags say.
func (c *connection) options(stderr io.Writer) (o fleet.Options, err error) {
	if !prefixes.MatchString(c.prefix) {
		return o, fmt.Errorf("--prefix %s: want letters a to z, digits and _", c.prefix)
	}
	if u, err := url.Parse(c.server); err == nil && u.User != nil {
		return o, errors.New("--server: who you are is said by --creds or --nkey: others see command lines")
	}
	o = fleet.Options{Server: c.server, Prefix: c.prefix, Wait: c.wait, NoWait: c.noWait, Tell: func(text string) { tell(stderr, text) }}
	if c.creds != "" {
		o.Nats = append(o.Nats, nats.UserCredentials(c.creds))
	}
	if c.nkey != "" {
		option, err := nats.NkeyOptionFromSeed(c.nkey)
		if err != nil {
			return o, fmt.Errorf("--nkey: %w", err)
		}
		o.Nats = append(o.Nats, option)
	}
	if c.ca != "" {
		o.Nats = append(o.Nats, nats.RootCAs(c.ca))
	}
	if (c.cert == "") != (c.key == "") {
		return o, errors.New("--tls-cert and --tls-key work together")
	}
	if c.cert != "" {
		o.Nats = append(o.Nats, nats.ClientCert(c.cert, c.key))
	}
	return o, nil
}

// Users, as deploy/nats/queue.conf has them. What a server answers comes to a subject of each, so none sees what
// is for another.
const (
	asSubmit = "submit"
	asWork   = "work"
	asRead   = "read"
)

// connect connects to the queue as a user.
func (c *connection) connect(cmd *cobra.Command, user string) (*fleet.Queue, error) {
	o, err := c.options(cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	o.Create = user != asRead
	o.Nats = append(o.Nats, nats.CustomInboxPrefix("_INBOX."+user))
	return fleet.Connect(cmd.Context(), o)
}
