package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/fleet"
	"github.com/dpdissect/dpdissect/internal/fleet/server"
)

// serveCommand is the flags of the command.
type serveCommand struct {
	o          server.Options
	prefix     string
	partitions int
}

func newServe() *cobra.Command {
	c := &serveCommand{}
	cmd := &cobra.Command{
		Use:   "serve --store DIR",
		Short: "Run a queue: NATS JetStream, for one machine or three",
		Long: `Run a NATS server with JetStream, which keeps its messages below DIR. A NATS
server of your own does instead: nothing here is needed of this one.

It serves this machine alone unless --config gives TLS and users, or --insecure
lets anybody in. Three servers make a cluster, of which one may be lost: each
has a --name, an address for the others (--cluster) and theirs (--routes).`,
		Example: `  dpdissect-fleet serve --store queue
  dpdissect-fleet serve --store queue --config nats.conf --listen 10.0.0.7:4222`,
		Args: cobra.NoArgs,
		RunE: orderly(func(cmd *cobra.Command, _ []string) error { return c.run(cmd) }),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&c.o.Listen, "listen", server.Usual, "listen on `ADDR`, HOST:PORT")
	f.StringVar(&c.o.Store, "store", "", "keep what is queued below `DIR`")
	f.StringVar(&c.o.StoreKey, "store-key", "", "encrypt it with the key in `FILE`")
	f.StringVar(&c.o.Config, "config", "", "`FILE` with settings of nats-server: users, TLS, a cluster")
	f.StringVar(&c.o.Cert, "tls-cert", "", "`FILE` with the certificate of this server")
	f.StringVar(&c.o.Key, "tls-key", "", "`FILE` with its key")
	f.BoolVar(&c.o.Insecure, "insecure", false, "let anybody in who reaches ADDR")
	f.StringVar(&c.o.Name, "name", "", "`NAME` of this server in a cluster")
	f.StringVar(&c.o.Cluster, "cluster", "", "listen on `ADDR` for the other servers of a cluster")
	f.StringVar(&c.o.Routes, "routes", "", "`LIST` of nats://HOST:PORT of the others")
	f.IntVar(&c.partitions, "partitions", fleet.Partitions, "`N` steps at a time at most, of a queue that is made")
	f.StringVar(&c.prefix, "prefix", "dpd", "`NAME` that streams, subjects and buckets begin with")
	return cmd
}

func (c *serveCommand) run(cmd *cobra.Command) error {
	switch {
	case c.o.Store == "" && c.o.Config == "":
		return errors.New("no folder: give --store DIR")
	case c.partitions < 1 || c.partitions > 1024:
		return errors.New("--partitions: want a number from 1 to 1024")
	case !prefixes.MatchString(c.prefix):
		return errors.New("--prefix: want letters a to z, digits and _")
	}
	if c.o.Config != "" && !cmd.Flags().Changed("listen") {
		c.o.Listen = "" // as it is in the file, if it is
	}
	c.o.Tell = func(text string) { tell(cmd.ErrOrStderr(), text) }
	s, err := server.Start(c.o)
	if err != nil {
		return err
	}
	defer s.Stop()
	ctx := cmd.Context()
	made := make(chan error, 1)
	if s.Open() { // else workers make the queue: they have the right
		go func() { made <- c.make(ctx, s) }()
		if s.Alone() {
			if err := <-made; err != nil {
				return err
			}
		}
	}
	c.o.Tell("serving on " + s.URL())
	select {
	case <-ctx.Done():
	case err := <-made:
		if err != nil && ctx.Err() == nil {
			return err
		}
		<-ctx.Done()
	}
	return nil
}

// make makes the queue.
func (c *serveCommand) make(ctx context.Context, s *server.Server) error {
	o := fleet.Options{Server: s.URL(), Prefix: c.prefix, Create: true, Tell: func(string) {}, Partitions: c.partitions}
	o.Nats = append(o.Nats, s.Dial())
	q, err := fleet.Connect(ctx, o)
	if err == nil {
		q.Close()
	}
	return err
}
