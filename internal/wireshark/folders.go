package wireshark

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// Folders are where the files go.
type Folders struct {
	Plugins   string   // of Lua files
	Config    string   // of profiles
	Extcap    []string // of programs that capture: Wireshark 4.0 looks elsewhere than later ones
	Wireshark string   // version of tshark, "" where there is none
}

// mostAsked is how long tshark may take to say where its folders are.
const mostAsked = 5 * time.Second

// FindFolders finds the folders: below dir where that is given, else where WIRESHARK_PLUGIN_DIR,
// WIRESHARK_CONFIG_DIR and WIRESHARK_EXTCAP_DIR say, where tshark says, or where the system has
// them.
func FindFolders(dir string) Folders {
	if dir != "" {
		if whole, err := filepath.Abs(dir); err == nil {
			dir = whole
		}
		return Folders{Plugins: filepath.Join(dir, "plugins"), Config: dir, Extcap: []string{filepath.Join(dir, "extcap")}}
	}
	f := usual()
	f.ask()
	if s := os.Getenv("WIRESHARK_CONFIG_DIR"); s != "" {
		f.Config = s
	}
	if s := os.Getenv("WIRESHARK_PLUGIN_DIR"); s != "" {
		f.Plugins = s
	}
	switch s := os.Getenv("WIRESHARK_EXTCAP_DIR"); {
	case s != "":
		f.Extcap = []string{s}
	case f.Extcap == nil:
		f.Extcap = usualExtcap(f.Config)
	}
	return f
}

// usualExtcap are the folders of programs that capture where tshark names none: below that of
// the configuration, where Wireshark 4.0 looks, and that of later versions.
func usualExtcap(config string) []string {
	folders := []string{filepath.Join(config, "extcap")}
	if home, err := os.UserHomeDir(); err == nil && runtime.GOOS != "windows" {
		folders = append(folders, filepath.Join(home, ".local", "lib", "wireshark", "extcap"))
	}
	return folders
}

// usual are the folders that Wireshark has where nothing else is said.
func usual() Folders {
	if runtime.GOOS == "windows" {
		config := filepath.Join(os.Getenv("APPDATA"), "Wireshark")
		return Folders{Plugins: filepath.Join(config, "plugins"), Config: config}
	}
	home, _ := os.UserHomeDir()
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	return Folders{Plugins: filepath.Join(home, ".local", "lib", "wireshark", "plugins"), Config: filepath.Join(config, "wireshark")}
}

var versionLine = regexp.MustCompile(`^TShark \(Wireshark\) (\d+\.\d+\.\d+)`)

// ask asks tshark, where there is one.
func (f *Folders) ask() {
	bin, err := exec.LookPath("tshark")
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), mostAsked)
	defer cancel()
	if out, err := exec.CommandContext(ctx, bin, "--version").Output(); err == nil {
		if m := versionLine.FindSubmatch(out); m != nil {
			f.Wireshark = string(m[1])
		}
	}
	out, err := exec.CommandContext(ctx, bin, "-G", "folders").Output()
	if err != nil {
		return
	}
	for line := range strings.Lines(string(out)) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), ":")
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		switch name {
		case "Personal configuration":
			f.Config = path
		case "Personal Lua Plugins":
			f.Plugins = path
		case "Personal Extcap path":
			f.Extcap = []string{path}
		}
	}
}
