package capture

import (
	"fmt"
	"strings"
)

// resolveName finds the interface that is meant where names are not for people:
// one with that name, or else the only one that people call so. The case of
// letters does not matter then. No interface is found when list has none of the
// name: the system may know it all the same.
func resolveName(name string, list []DeviceInfo) (string, error) {
	var found []string
	for i := range list {
		d := &list[i]
		if d.Name == name {
			return name, nil
		}
		if strings.EqualFold(d.Name, name) || d.isCalled(name) {
			found = append(found, d.Name)
		}
	}
	switch len(found) {
	case 0:
		return name, nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s: several interfaces are called so: give one of %s", name, strings.Join(found, ", "))
}

// isCalled reports whether the description is the words, or has them before or in
// the brackets at its end: both "Wi-Fi" and "Intel(R) AX200" name
// "Wi-Fi (Intel(R) AX200)".
func (d *DeviceInfo) isCalled(words string) bool {
	if words == "" {
		return false
	}
	if strings.EqualFold(d.Description, words) {
		return true
	}
	friendly, rest, ok := strings.Cut(d.Description, " (")
	return ok && (strings.EqualFold(friendly, words) || strings.EqualFold(strings.TrimSuffix(rest, ")"), words))
}
