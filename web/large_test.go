package web

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// What the page is held to with a capture of any length.
const (
	mostMemory = 128 << 20 // of the report, on which the page opens; explain and analyze take a third of it
	mostPage   = 8_700_000
)

// The large capture has a gigabyte: so many packets of so many connections.
const (
	largePackets     = 7_000_000
	largeConnections = 24
)

// large gives the large capture. It is kept in the folder of temporary files: to make it
// takes minutes.
func large(t *testing.T) string {
	t.Helper()
	path := filepath.Join(os.TempDir(), fmt.Sprintf("dpdissect-web-%d-%d.pcap", largeConnections, largePackets))
	if st, err := os.Stat(path); err == nil && st.Size() > 1e9 {
		return path
	}
	f, err := os.CreateTemp("", "dpdissect-web-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name()) // where it did not get its name
	err = tracegen.Many(f, largeConnections, largePackets, 1)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLarge: a capture of a gigabyte goes through the page within 128 MiB for the program,
// with progress, and can be cancelled. What it prints is what the program does.
func TestLarge(t *testing.T) {
	p := browse(t)
	file := large(t)

	p.Choose("#files", file)
	p.Await(`!document.getElementById("work").hidden && document.getElementById("progress").value > 5e7`)
	if got := p.Text(`document.getElementById("amount").textContent`); !strings.HasPrefix(got, "Drawing: ") {
		t.Errorf("while it works the page says %q", got)
	}
	p.Eval(`document.getElementById("cancel").click()`, nil)
	p.Await(`document.getElementById("work").hidden && document.getElementById("status").textContent === "Cancelled."`)

	p.Choose("#files", file)
	p.Await(finished)
	shows(t, p, filepath.Dir(file), filepath.Base(file))
	var memory int
	p.Eval("Number(document.body.dataset.memory)", &memory)
	t.Logf("%d packets: %s", largePackets, p.Text(`document.getElementById("status").textContent`))
	if memory == 0 || memory > mostMemory {
		t.Errorf("the program had %d bytes of memory, want at most %d", memory, mostMemory)
	}
}

// TestSize holds the page to its size.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling for js/wasm takes a while")
	}
	compile(t)
	st, err := os.Stat(made.page)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", st.Size())
	if st.Size() > mostPage {
		t.Errorf("the page has %d bytes, want at most %d", st.Size(), mostPage)
	}
}
