package report

// A CheckFormat is one way to write what a check found.
type CheckFormat struct {
	Name     string // of --format and --report
	Use      string // what it is for, after its name in the help
	Measures bool   // it has the numbers of connections

	Summary *CheckFormat // what is written beside it for the summary of a step of GitHub, nil for nothing

	One     func(*Check, TextOptions) []byte  // of one capture
	Several func(*Checks, TextOptions) []byte // of several
}

// CheckFormats are all of them, that of people first.
var CheckFormats = []*CheckFormat{checkText, checkJSON, checkRecords, checkSARIF, checkJUnit, checkGitHub}

// CheckFormatOf gives the format of a name, that of people for one that is none.
func CheckFormatOf(name string) *CheckFormat {
	for _, f := range CheckFormats {
		if f.Name == name {
			return f
		}
	}
	return checkText
}
