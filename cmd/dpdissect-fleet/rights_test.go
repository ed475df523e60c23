package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/dpdissect/dpdissect/internal/exit"
)

// certificate makes a certificate of loopback that proves itself, in files.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	x := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "queue"}, NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, x, x, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), 0o600)
	return cert, key
}

// TestFleetRights: with deploy/nats/queue.conf each of the three users can do what it is for, and no more: states are for
// workers alone.
func TestFleetRights(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "nats", "queue.conf"))
	if err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(t.TempDir(), "queue.conf")
	alone := regexp.MustCompile(`(?s)\ncluster \{.*?\n\}\n`).ReplaceAll(text, nil)
	if len(alone) == len(text) {
		t.Fatal("the block of the cluster has another form")
	}
	os.WriteFile(conf, alone, 0o600)
	cert, key := certificate(t)
	t.Setenv("DPDISSECT_NAME", "n1")
	t.Setenv("DPDISSECT_LISTEN", "127.0.0.1:-1")
	t.Setenv("DPDISSECT_STORE", t.TempDir())
	t.Setenv("DPDISSECT_CERT", cert)
	t.Setenv("DPDISSECT_KEY", key)
	t.Setenv("DPDISSECT_CA", cert)
	seeds := map[string]string{}
	for _, user := range []string{asSubmit, asWork, asRead} {
		pair, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		public, _ := pair.PublicKey()
		seed, _ := pair.Seed()
		t.Setenv("DPDISSECT_"+strings.ToUpper(user), public)
		seeds[user] = filepath.Join(t.TempDir(), user)
		os.WriteFile(seeds[user], seed, 0o600)
	}
	b := &bed{t: t, dir: t.TempDir(), url: serve(t, "serve", "--config", conf)}
	as := func(user string) []string { return []string{"--nkey", seeds[user], "--tls-ca", cert, "--wait", "2m"} }
	files := b.pieces("dp8/unsigned-lossy.pcap", 2, 400)
	os.WriteFile(files[1], nil, 0o600)
	good(t, b.work(append(as(asWork), "--drain")...)...) // makes the queue
	b.do("submit", append(append(as(asSubmit), "--chain", "c"), files...)...)
	good(t, b.work(append(as(asWork), "--drain")...)...)
	if out := b.do("status", as(asRead)...); !strings.Contains(out, "1 done, 1 dead") {
		t.Error(out)
	}
	b.do("dead list", as(asRead)...)
	b.do("dead retry", append(as(asSubmit), "--all")...)
	good(t, b.work(append(as(asWork), "--drain")...)...)
	b.do("dead drop", append(as(asSubmit), "--all")...)
	for _, args := range [][]string{
		b.on("submit", append(as(asRead), "--wait", "1s", "--chain", "d", files[0])...),
		b.work(append(as(asSubmit), "--wait", "1s", "--drain")...),
		b.on("status", "--tls-ca", cert, "--wait", "1s"),
	} {
		if _, _, code := call(t, args...); code != exit.Queue && code != exit.Usage {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
	for _, user := range []string{asSubmit, asRead} {
		option, err := nats.NkeyOptionFromSeed(seeds[user])
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		refused := func(_ *nats.Conn, _ *nats.Subscription, err error) { // no answer comes to what is refused
			if errors.Is(err, nats.ErrPermissionViolation) {
				cancel()
			}
		}
		conn, err := nats.Connect(b.url, option, nats.RootCAs(cert), nats.CustomInboxPrefix("_INBOX."+user), nats.ErrorHandler(refused))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		js, err := jetstream.New(conn)
		if err != nil {
			t.Fatal(err)
		}
		s, err := js.Stream(ctx, "OBJ_dpd_states")
		if err != nil {
			t.Fatal(err)
		}
		if s.CachedInfo().State.Msgs == 0 {
			t.Error("there are no states")
		}
		if m, err := s.GetMsg(ctx, s.CachedInfo().State.LastSeq); err == nil {
			t.Errorf("%s reads a state of %d bytes", user, len(m.Data))
		}
	}
}
