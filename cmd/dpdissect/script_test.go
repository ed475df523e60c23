package main

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/config"
)

// TestScript runs the transcripts in testdata/script. $PCAPS is the folder of the
// captures kept with the project. They start the program a thousand times, and it starts faster than
// this test, which is linked of more.
func TestScript(t *testing.T) { testscript.Run(t, scripts(t)) }

// scripts are the parameters of the transcripts.
func scripts(t *testing.T) testscript.Params {
	t.Helper()
	pcaps, err := filepath.Abs(filepath.Join("..", "..", "testdata", "pcaps"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Dir(built(t)) + string(filepath.ListSeparator)
	return testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", path+env.Getenv("PATH"))
			env.Setenv("PCAPS", pcaps)
			env.Setenv("TZ", "UTC")
			env.Setenv("COLUMNS", "120")
			env.Setenv(config.Variable, "off")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "gone": gone, "unread": toNobody, "compress": compress, "cut": cut, "described": described, "hardlink": hardlink, "header": header, "relink": relink, "twoPoints": twoPoints,
		},
	}
}

// exits runs a program that must end with an exit code: exits CODE PROGRAM ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		e, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%q: %v", args[1:], err)
		}
		got = e.ExitCode()
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("%q: exit code %d, want %s", args[1:], got, args[0])
	}
}

// gone starts a program and closes the pipe it prints to after the first bytes;
// the program must end with 0 and complain of nothing: gone PROGRAM ARGS…
func gone(ts *testscript.TestScript, neg bool, args []string) {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	r, w, err := os.Pipe()
	ts.Check(err)
	var errs strings.Builder
	cmd := exec.Command(path, args[1:]...)
	cmd.Stdout, cmd.Stderr = w, &errs
	ts.Check(cmd.Start())
	w.Close()
	_, err = r.Read(make([]byte, 1))
	ts.Check(err)
	r.Close()
	if err := cmd.Wait(); err != nil || errs.Len() > 0 {
		ts.Fatalf("%q: %v, stderr %q", args, err, errs.String())
	}
}

// toNobody runs a program that prints to a pipe nobody reads; it must end with an exit
// code, and say nothing when that is 0: unread CODE PROGRAM ARGS…
func toNobody(ts *testscript.TestScript, neg bool, args []string) {
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	r, w, err := os.Pipe()
	ts.Check(err)
	r.Close()
	cmd := exec.Command(path, args[2:]...)
	var errs strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), w, &errs
	err = cmd.Run()
	w.Close()
	if e, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		ts.Fatalf("%q: %v", args[1:], err)
	} else if code := cmd.ProcessState.ExitCode(); fmt.Sprint(code) != args[0] {
		ts.Fatalf("%q: exit code %d, want %s: %v", args[1:], code, args[0], e)
	} else if code == 0 && errs.Len() > 0 {
		ts.Fatalf("%q: stderr %q", args[1:], errs.String())
	}
}

// compress writes a file compressed with gzip: compress FROM TO.
func compress(ts *testscript.TestScript, neg bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	z := gzip.NewWriter(f)
	_, err = z.Write(b)
	ts.Check(err)
	ts.Check(z.Close())
	ts.Check(f.Close())
}

// cut writes a file without its last 5 bytes: cut FROM TO.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b[:len(b)-5], 0o666))
}

// described writes a capture of one packet, in which a host describes its session:
// described FILE NAME.
func described(ts *testscript.TestScript, neg bool, args []string) {
	frame := dp8.HPFrame{Command: dp8.HPResponse}
	var name []byte
	for _, u := range utf16.Encode([]rune(args[1] + "\x00")) {
		name = binary.LittleEndian.AppendUint16(name, u)
	}
	frame.Response.SetParts(name, nil, nil, nil, nil)
	payload := frame.Append(nil)
	ip := []byte{0x45, 0, 0, 0, 0, 1, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2}
	binary.BigEndian.PutUint16(ip[2:], uint16(28+len(payload)))
	ports := []uint16{6073, 50000, uint16(8 + len(payload)), 0}
	for _, n := range ports {
		ip = binary.BigEndian.AppendUint16(ip, n)
	}
	packet := append(ip, payload...)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	w, err := capture.NewWriter(f, capture.WriterOptions{Format: "pcap", Interfaces: []capture.Interface{{Link: capture.LinkRaw}}})
	ts.Check(err)
	ts.Check(w.Write(&capture.Record{Data: packet, WireLen: len(packet), Time: 1e18, HasTime: true, Link: capture.LinkRaw}))
	ts.Check(w.Flush())
	ts.Check(f.Close())
}

// hardlink gives a file a second name: hardlink FILE NAME.
func hardlink(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.Link(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}

// header writes what stands before the packets of a pcap file: header FROM TO.
func header(ts *testscript.TestScript, neg bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b[:24], 0o666))
}

// relink writes a pcap file with another link type, a byte: relink FROM TO TYPE.
func relink(ts *testscript.TestScript, neg bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	n, err := strconv.ParseUint(args[2], 10, 8)
	ts.Check(err)
	b[20] = byte(n)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o666))
}
