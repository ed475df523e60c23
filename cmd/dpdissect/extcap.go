package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
)

// extcapHelp is the page that Wireshark opens for help.
const extcapHelp = "https://github.com/dpdissect/dpdissect/blob/main/docs/wireshark.md"

// isExtcap reports whether Wireshark called: with an argument of its interface for programs
// that capture (extcap), in front of any command.
func isExtcap(root *cobra.Command, args []string) bool {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") {
		return false
	}
	for _, a := range args {
		if strings.HasPrefix(a, "--extcap-") || a == "--capture" {
			return true
		}
		if found, _, err := root.Find([]string{a}); err == nil && found != root {
			return false
		}
	}
	return false
}

// An extcap is one call of Wireshark: a question, or that to capture.
type extcap struct {
	interfaces, dlts, config, capture bool

	value         string // of the interface
	captureFilter string
	fifo          string

	display   string
	decodeAs  []string
	secrets   string
	protocols []string
	file      string
	pace      bool
}

// flags are all that Wireshark may give.
func (x *extcap) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("extcap", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.BoolVar(&x.interfaces, "extcap-interfaces", false, "")
	f.BoolVar(&x.dlts, "extcap-dlts", false, "")
	f.BoolVar(&x.config, "extcap-config", false, "")
	f.BoolVar(&x.capture, "capture", false, "")
	f.StringVar(&x.value, "extcap-interface", "", "")
	f.StringVar(&x.captureFilter, "extcap-capture-filter", "", "")
	f.StringVar(&x.fifo, "fifo", "", "")
	for _, name := range []string{"extcap-version", "extcap-reload-option", "extcap-control-in", "extcap-control-out"} {
		f.String(name, "", "") // nothing depends on them
	}
	f.StringVar(&x.display, "display-filter", "", "")
	f.StringArrayVar(&x.decodeAs, "decode-as", nil, "")
	f.StringVar(&x.secrets, "secrets", "", "")
	f.StringSliceVar(&x.protocols, "protocols", nil, "")
	f.StringVar(&x.file, "read-file", "", "")
	f.BoolVar(&x.pace, "pace", false, "")
	return f
}

// runExtcap answers a call of Wireshark. All that is printed on stderr is shown as an error:
// a line where something failed, and nothing else.
func runExtcap(args []string, stdout, stderr *os.File) int {
	x := &extcap{}
	f := x.flags()
	err := f.Parse(args)
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	code := exit.OK
	switch {
	case x.capture:
		code, err = x.run(err)
	case err == nil:
		code, err = x.answer(stdout)
	default:
		code = exit.Usage
	}
	if err != nil {
		fmt.Fprintf(stderr, "dpdissect: %s\n", printable(firstLine(err.Error())))
	}
	return code
}

// firstLine is a message without what is drawn below it.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// answer answers a question.
func (x *extcap) answer(w io.Writer) (code int, err error) {
	devices, err := capture.DeviceNames()
	if err != nil {
		return exit.Usage, err
	}
	all := extcapInterfaces(devices)
	if x.interfaces {
		_, err := w.Write(appendInterfaces(nil, all))
		return codeOfExtcap(err), err
	}
	in, err := x.find(all)
	if err != nil {
		return exit.Usage, err
	}
	switch {
	case x.dlts:
		_, err = w.Write(in.appendDLT(nil))
	case x.config:
		_, err = w.Write(in.appendArguments(nil))
	case x.captureFilter != "":
		if wrong := in.check(x.captureFilter); wrong != nil {
			_, err = fmt.Fprintln(w, printable(firstLine(wrong.Error())))
			return exit.Usage, err
		}
	default:
		err = errors.New("nothing is asked: want --extcap-interfaces, --extcap-dlts, --extcap-config or --capture")
	}
	return codeOfExtcap(err), err
}

func codeOfExtcap(err error) int {
	if err != nil {
		return exit.Usage
	}
	return exit.OK
}

// find finds the interface of a call.
func (x *extcap) find(all []extcapInterface) (*extcapInterface, error) {
	for i := range all {
		if all[i].value == x.value {
			return &all[i], nil
		}
	}
	return nil, fmt.Errorf("--extcap-interface %s: no such interface; --extcap-interfaces lists them", x.value)
}

// An extcapInterface is what Wireshark lists as an interface.
type extcapInterface struct {
	value, display string
	device         string // "" where a file is read
	link           capture.LinkType
}

// plainDevice is a name that Wireshark takes as it is, for files and for preferences.
var plainDevice = regexp.MustCompile(`^[A-Za-z0-9-]*[A-Za-z-][A-Za-z0-9-]*$`)

// extcapInterfaces makes interfaces of the devices, in their order, and of files. A device
// whose name has other characters, or stands for something else, goes by its number.
func extcapInterfaces(devices []capture.DeviceInfo) []extcapInterface {
	const what = "DirectPlay, kNet and Hazel "
	var all []extcapInterface
	for i := range devices {
		d := &devices[i]
		in := extcapInterface{value: "dpdissect-" + d.Name, display: what + "on " + d.Name, device: d.Name, link: d.Link}
		if d.LinkName == "" {
			in.link = capture.LinkEthernet // what nearly all are
		}
		if !plainDevice.MatchString(d.Name) || d.Name == "file" {
			name := d.Description
			if name == "" {
				name = d.Name
			}
			in.value, in.display = fmt.Sprint("dpdissect-", i), what+"on "+plainDisplay(name)
		}
		all = append(all, in)
	}
	return append(all, extcapInterface{value: "dpdissect-file", display: what + "in a file", link: capture.LinkEthernet})
}

// plainDisplay puts hyphens in the place of what has no place in the names of files, which
// Wireshark makes of it.
func plainDisplay(s string) string {
	s = strings.Map(func(c rune) rune {
		if c == ' ' || c == ',' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			return c
		}
		return '-'
	}, s)
	return s[:min(len(s), 80)]
}

func appendInterfaces(dst []byte, all []extcapInterface) []byte {
	dst = fmt.Appendf(dst, "extcap {version=%s}{display=dpdissect}{help=%s}\n", buildVersion().Version, extcapHelp)
	for i := range all {
		dst = fmt.Appendf(dst, "interface {value=%s}{display=%s}\n", all[i].value, all[i].display)
	}
	return dst
}

// linkNames are the names of link types as libpcap has them, and for people.
var linkNames = map[capture.LinkType][2]string{
	capture.LinkNull:      {"NULL", "BSD loopback"},
	capture.LinkEthernet:  {"EN10MB", "Ethernet"},
	capture.LinkRaw:       {"RAW", "Raw IP"},
	capture.LinkIEEE80211: {"IEEE802_11", "802.11"},
	capture.LinkLoop:      {"LOOP", "OpenBSD loopback"},
	capture.LinkRadiotap:  {"IEEE802_11_RADIO", "802.11 plus radiotap header"},
	capture.LinkSLL2:      {"LINUX_SLL2", "Linux cooked v2"},
}

// appendDLT appends the link type of what is captured.
func (in *extcapInterface) appendDLT(dst []byte) []byte {
	names, ok := linkNames[in.link]
	if !ok {
		names = [2]string{fmt.Sprint("LINKTYPE_", uint32(in.link)), in.link.String()}
	}
	return fmt.Appendf(dst, "dlt {number=%d}{name=%s}{display=%s}\n", in.link, names[0], names[1])
}

// An extcapArgument is a field of the dialog.
type extcapArgument struct{ call, display, tooltip, more string }

var extcapArguments = []extcapArgument{
	{"display-filter", "Only packets that match", "a display filter of dpdissect, such as retry or gap", "{type=string}"},
	{"decode-as", "Decode as", "the protocol of ports, such as udp.port==2302,dp8", "{type=string}"},
	{"secrets", "Signing secrets", "a file with signing secrets of DirectPlay 8", "{type=fileselect}{mustexist=true}"},
	{"protocols", "Only these protocols", "names with commas between them, such as dp8,dp4", "{type=string}"},
}

// readFile is the field that must not be empty.
const readFile = "Capture file"

// fileArguments are those of files alone.
var fileArguments = []extcapArgument{
	{"read-file", readFile, "the capture to read", "{type=fileselect}{mustexist=true}{required=true}"},
	{"pace", "As captured", "packets come as their times say", "{type=boolflag}{default=false}"},
}

// appendArguments appends the fields of the dialog.
func (in *extcapInterface) appendArguments(dst []byte) []byte {
	args := extcapArguments
	if in.device == "" {
		args = append(args[:len(args):len(args)], fileArguments...)
	}
	for i, a := range args {
		dst = fmt.Appendf(dst, "arg {number=%d}{call=--%s}{display=%s}{tooltip=%s}%s\n", i, a.call, a.display, a.tooltip, a.more)
	}
	return dst
}

// check is nil where a capture filter has a meaning for what is captured.
func (in *extcapInterface) check(filter string) error {
	f, err := capture.NewFilter(filter)
	if err == nil && in.device != "" {
		err = f.Fits(in.link)
	}
	return err
}
