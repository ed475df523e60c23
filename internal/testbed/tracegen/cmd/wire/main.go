// Command wire plays connections of known truth over real UDP sockets, for live
// captures to see. It prints what is true of them as JSON.
//
//	wire -proto dp8,dp4,knet,hazel -listen 127.0.0.1 -pairs 10 -duration 10s -loss 0.02 -seed 1 -churn 30s
//	wire -flood 1000000 -rate 155000 -from 198.18.0.1:0 -to 198.18.0.2:9000 -size 64
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "wire:", err)
		os.Exit(1)
	}
}

// options are what the flags say.
type options struct {
	protos, listen string
	loss           float64
	load           wire.LoadConfig
	from, to       string
	flood          wire.FloodConfig
}

func parse(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("wire", flag.ContinueOnError)
	f.StringVar(&o.protos, "proto", strings.Join(tracegen.TalkProtocols(), ","), "what talks: of "+strings.Join(tracegen.TalkKinds(), ", "))
	f.StringVar(&o.listen, "listen", "127.0.0.1", "address of all sockets")
	port := f.Uint("port", 0, "of the first protocol's server, the others above it; 0: any")
	f.IntVar(&o.load.Pairs, "pairs", 10, "conversations of each protocol at a time")
	f.DurationVar(&o.load.Duration, "duration", 10*time.Second, "of the run")
	f.DurationVar(&o.load.Churn, "churn", 0, "mean time a conversation lasts before another takes its place; 0: the whole run")
	f.Float64Var(&o.load.Vanish, "vanish", 0.3, "share of conversations that end without a word")
	f.Float64Var(&o.load.Messages, "messages", wire.DefaultMessages, "each side says so many a second")
	f.Float64Var(&o.loss, "loss", 0, "share of datagrams lost on the way, one half before the wire, one behind it")
	f.DurationVar(&o.load.Path.Near.Delay, "delay", 0, "of each datagram before the wire")
	f.Uint64Var(&o.load.Seed, "seed", 1, "of all that is random")
	f.IntVar(&o.flood.Packets, "flood", 0, "send so many numbered datagrams in place of conversations")
	f.IntVar(&o.flood.PerSecond, "rate", 0, "of the flood, in datagrams a second; 0: what the system takes")
	f.IntVar(&o.flood.Size, "size", 64, "of a payload of the flood")
	f.StringVar(&o.from, "from", "127.0.0.1:0", "where the flood comes from")
	f.StringVar(&o.to, "to", "127.0.0.1:9", "where the flood goes")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if *port > 0xffff || f.NArg() > 0 {
		return nil, fmt.Errorf("port %d, arguments %q: want a port up to 65535 and no arguments", *port, f.Args())
	}
	o.load.Port = uint16(*port)
	return o, nil
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	var truth any
	if o.flood.Packets > 0 {
		truth, err = o.runFlood(ctx)
	} else {
		truth, err = o.runLoad(ctx)
	}
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", " ")
	return out.Encode(truth)
}

func (o *options) runFlood(ctx context.Context) (any, error) {
	var err error
	if o.flood.From, err = netip.ParseAddrPort(o.from); err != nil {
		return nil, err
	}
	if o.flood.To, err = netip.ParseAddrPort(o.to); err != nil {
		return nil, err
	}
	return wire.Flood(ctx, o.flood)
}

func (o *options) runLoad(ctx context.Context) (any, error) {
	var err error
	if o.load.Addr, err = netip.ParseAddr(o.listen); err != nil {
		return nil, err
	}
	o.load.Kinds = strings.Split(o.protos, ",")
	o.load.Path.Near.Loss, o.load.Path.Far = o.loss/2, sim.Segment{Loss: o.loss / 2}
	return wire.Load(ctx, o.load)
}
