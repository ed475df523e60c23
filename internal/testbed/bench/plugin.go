package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// pluginFrames are the packets of which it is shown what the plugin for Wireshark costs.
const pluginFrames = 50_000

// plugin shows what a packet of an annotated capture costs in tshark, without the plugin and
// with it: CPU time of whole processes.
func plugin(o *options) error {
	dir, err := os.MkdirTemp(o.dir, "dpdissect-bench-plugin")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	lua := filepath.Join(dir, "dpdissect.lua")
	text, err := exec.Command(o.bin, "wireshark", "print").Output()
	if err == nil {
		err = os.WriteFile(lua, text, 0o600)
	}
	if err != nil {
		return err
	}
	fmt.Println("| capture, annotated | tshark | without the plugin, µs/packet | with it | it costs |")
	fmt.Println("|---|---|---:|---:|---:|")
	if _, err := exec.LookPath("tshark"); err != nil {
		fmt.Println("| | tshark is not installed | | | |")
		return nil
	}
	for _, name := range []string{"none", "full", "dp4", "knet", "hazel"} {
		if err := o.pluginOf(name, dir, lua); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) pluginOf(name, dir, lua string) error {
	k := kindNamed(name)
	if _, err := k.make(o, pluginFrames); err != nil {
		return err
	}
	file := filepath.Join(dir, name+".pcapng")
	if err := exec.Command(o.bin, "annotate", "-q", "-w", file, o.path(name, pluginFrames)).Run(); err != nil {
		return err
	}
	for _, form := range []string{"", "-2", "-V"} {
		plain := []string{"tshark", "-n", "-r", file}
		if form != "" {
			plain = append(plain, form)
		}
		r, err := o.measure(plain, append(plain[:len(plain):len(plain)], "-X", "lua_script:"+lua))
		if err != nil {
			return err
		}
		micros := func(d time.Duration) float64 { return float64(d.Microseconds()) / pluginFrames }
		fmt.Printf("| %s | %s | %.1f | %.1f | %.1f |\n", k.title, cmp.Or(form, "summary"), micros(r[0].cpu), micros(r[1].cpu), micros(r[1].cpu-r[0].cpu))
	}
	return nil
}

func kindNamed(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	panic("no capture is called " + name)
}
