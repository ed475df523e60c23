// Package server is a NATS server with JetStream in this program, for one machine and for tests.
package server

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Options of a server.
type Options struct {
	Listen   string // HOST:PORT, "" for that of Config or Usual
	Store    string // folder
	Config   string // file of settings of nats-server, "" for none
	Cert     string // of TLS, with Key
	Key      string
	StoreKey string // file
	Insecure bool   // lets anybody in from anywhere

	Name    string // in a cluster
	Cluster string // HOST:PORT for its other servers, "" for none
	Routes  string // nats://HOST:PORT of these, separated by commas

	Tell func(text string)
}

// Usual is where a server listens unless it is told.
const Usual = "127.0.0.1:4222"

// A Server is one that runs.
type Server struct {
	s     *server.Server
	alone bool
	open  bool // nobody needs credentials
}

// startTime is how long a server may take until it takes connections.
const startTime = 30 * time.Second

// Start starts a server.
func Start(o Options) (*Server, error) {
	opts := &server.Options{}
	if o.Config != "" {
		var err error
		if opts, err = server.ProcessConfigFile(o.Config); err != nil {
			return nil, fmt.Errorf("--config: %w", err)
		}
	}
	if err := o.apply(opts); err != nil {
		return nil, err
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, err
	}
	s.SetLoggerV2(logger(o.Tell), false, false, false)
	go s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, errors.New("the server does not start: see what it says above")
	}
	return &Server{s, opts.Cluster.Port == 0, !protected(opts)}, nil
}

// apply sets what was asked for, and refuses what would let anybody in.
func (o *Options) apply(opts *server.Options) (err error) {
	opts.NoSigs, opts.NoLog, opts.JetStream = true, false, true
	if opts.StoreDir = cmp.Or(o.Store, opts.StoreDir); opts.StoreDir == "" {
		return errors.New("no folder: give --store DIR")
	}
	if o.Listen != "" || opts.Port == 0 {
		if opts.Host, opts.Port, err = address(cmp.Or(o.Listen, Usual)); err != nil {
			return fmt.Errorf("--listen: %w", err)
		}
	}
	opts.ServerName = cmp.Or(o.Name, opts.ServerName)
	if o.Cluster != "" {
		opts.Cluster.Name = "dpdissect"
		if opts.Cluster.Host, opts.Cluster.Port, err = address(o.Cluster); err != nil {
			return fmt.Errorf("--cluster: %w", err)
		}
		if o.Routes != "" {
			opts.Routes = server.RoutesFromStr(o.Routes)
		}
		if opts.ServerName == "" {
			return errors.New("--cluster needs --name: the servers of a cluster know each other by it")
		}
	} else if opts.Cluster.Port == 0 {
		opts.SyncAlways = true // nobody else has what a crash of this machine would take
	}
	if o.Cert != "" || o.Key != "" {
		t := &server.TLSConfigOpts{CertFile: o.Cert, KeyFile: o.Key}
		if opts.TLSConfig, err = server.GenTLSConfig(t); err != nil {
			return fmt.Errorf("--tls-cert: %w", err)
		}
		opts.TLS, opts.TLSTimeout = true, 2
	}
	if o.StoreKey != "" {
		key, err := readKey(o.StoreKey)
		if err != nil {
			return fmt.Errorf("--store-key: %w", err)
		}
		opts.JetStreamKey, opts.JetStreamCipher = key, server.ChaCha
	}
	return o.refuse(opts)
}

// refuse refuses to let anybody in.
func (o *Options) refuse(opts *server.Options) error {
	for _, host := range []string{opts.Host, opts.Cluster.Host} {
		switch {
		case o.Insecure || host == "" || loopback(host):
		case opts.TLSConfig == nil || !protected(opts):
			return fmt.Errorf("%s is not loopback: give TLS and users by --config, or --insecure to let anybody in", host)
		case host == opts.Cluster.Host && opts.Cluster.TLSConfig == nil:
			return fmt.Errorf("%s is not loopback: give TLS for the servers of the cluster by --config, or --insecure", host)
		}
	}
	return nil
}

// protected reports whether clients need credentials.
func protected(o *server.Options) bool {
	return len(o.Users) > 0 || len(o.Nkeys) > 0 || o.Username != "" || o.Authorization != "" || len(o.TrustedKeys) > 0 || len(o.TrustedOperators) > 0 || o.TLSVerify && o.TLSMap
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func address(s string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(s)
	if err != nil {
		return "", 0, errors.New("want HOST:PORT")
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return "", 0, errors.New("want HOST:PORT")
	}
	if host == "" {
		host = "0.0.0.0"
	}
	if n == 0 {
		return host, server.RANDOM_PORT, nil
	}
	return host, int(n), nil
}

// readKey reads a key that its owner alone may read.
func readKey(path string) (string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if st.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s can be read by others: chmod 600", path)
	}
	b, err := os.ReadFile(path)
	const least = 32
	if b = bytes.TrimSpace(b); err == nil && len(b) < least {
		err = fmt.Errorf("%s has %d bytes, want at least %d", path, len(b), least)
	}
	return string(b), err
}

// URL is where clients connect.
func (s *Server) URL() string { return s.s.ClientURL() }

// Alone reports whether the server is in no cluster, and Open whether clients need no credentials.
func (s *Server) Alone() bool { return s.alone }

// Open reports whether clients need no credentials.
func (s *Server) Open() bool { return s.open }

// Dial lets a client in this program in.
func (s *Server) Dial() nats.Option { return nats.InProcessServer(s.s) }

// Stop ends the server once what it has is on disk.
func (s *Server) Stop() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}

// A logger passes on what operators need to know.
type logger func(text string)

func (logger) Noticef(string, ...any) {}
func (l logger) Warnf(format string, v ...any) {
	if text := fmt.Sprintf(format, v...); !strings.Contains(text, "Filestore") {
		l("server: " + text)
	}
}
func (l logger) Fatalf(format string, v ...any) { l("server: " + fmt.Sprintf(format, v...)) }
func (l logger) Errorf(format string, v ...any) { l("server: " + fmt.Sprintf(format, v...)) }
func (logger) Debugf(string, ...any)            {}
func (logger) Tracef(string, ...any)            {}
