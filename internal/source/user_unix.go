//go:build unix

package source

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// An identity is whom the process becomes.
type identity struct {
	uid, gid int
	groups   []int // further groups
}

// dropPrivileges makes the whole process another user for good: NAME, with the
// groups of NAME, or NAME:GROUP, with that group alone. Both may be numbers. What
// is open stays open. Only root can do it, and when it fails the process must not
// go on: it may be someone between the two.
func dropPrivileges(name string) error {
	if os.Geteuid() != 0 {
		return errors.New("only root can become another user")
	}
	who, err := lookUp(name)
	if err == nil {
		err = who.become()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func lookUp(name string) (identity, error) {
	name, group, given := strings.Cut(name, ":")
	u, err := userOf(name)
	if err != nil {
		return identity{}, err
	}
	var who identity
	if who.uid, err = parseID(u.Uid); err != nil {
		return who, err
	}
	if who.uid == 0 {
		return who, errors.New("that is root, who would keep all privileges")
	}
	if given {
		who.gid, err = groupOf(group)
		who.groups = []int{who.gid}
		return who, err
	}
	if u.Gid == "" {
		return who, fmt.Errorf("no user has this number, so the group must be given as well: %s:GROUP", name)
	}
	if who.gid, err = parseID(u.Gid); err != nil {
		return who, err
	}
	who.groups, err = groupsOf(u, who.gid)
	return who, err
}

// userOf finds a user by name or number. Of a number that nobody has, only the
// number is known.
func userOf(name string) (*user.User, error) {
	u, err := user.Lookup(name)
	if err == nil {
		return u, nil
	}
	if _, notNumber := parseID(name); notNumber != nil {
		return nil, cmp.Or(unknown(err, "there is no user with this name"), err)
	}
	if u, err := user.LookupId(name); err == nil {
		return u, nil
	}
	return &user.User{Uid: name}, nil
}

// groupOf finds a group by name or number.
func groupOf(name string) (int, error) {
	g, err := user.LookupGroup(name)
	if err == nil {
		return parseID(g.Gid)
	}
	if gid, notNumber := parseID(name); notNumber == nil {
		return gid, nil
	}
	return 0, cmp.Or(unknown(err, "there is no group with this name"), err)
}

// unknown is the error in plain words when it is that a name is not known.
func unknown(err error, words string) error {
	if _, ok := errors.AsType[user.UnknownUserError](err); ok {
		return errors.New(words)
	}
	if _, ok := errors.AsType[user.UnknownGroupError](err); ok {
		return errors.New(words)
	}
	return nil
}

// groupsOf lists the groups of a user, the first one first.
func groupsOf(u *user.User, first int) ([]int, error) {
	ids, err := u.GroupIds()
	if err != nil {
		return nil, fmt.Errorf("its groups: %w", err)
	}
	groups := []int{first}
	for _, id := range ids {
		gid, err := parseID(id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(groups, gid) {
			groups = append(groups, gid)
		}
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		groups = groups[:min(len(groups), 16)] // as many as the system takes
	}
	return groups, nil
}

// parseID reads the number of a user or group. The highest one means "no change"
// to the system.
func parseID(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n == 1<<32-1 {
		return 0, fmt.Errorf("%q is not the number of a user or group", s)
	}
	return int(n), nil
}

// become changes the identity of all threads and makes sure that there is no way
// back.
func (who *identity) become() error {
	if err := emptyBounds(); err != nil {
		return fmt.Errorf("the bounding set can't be emptied: %w", err)
	}
	// Groups before the user: without root they can't be changed any more.
	if err := syscall.Setgroups(who.groups); err != nil {
		return fmt.Errorf("groups can't be set: %w", err)
	}
	if err := syscall.Setgid(who.gid); err != nil {
		return fmt.Errorf("the group can't be set: %w", err)
	}
	if err := syscall.Setuid(who.uid); err != nil {
		return fmt.Errorf("the user can't be set: %w", err)
	}
	if err := clearCapabilities(); err != nil {
		return fmt.Errorf("capabilities can't be cleared: %w", err)
	}
	if err := lockOut(); err != nil {
		return fmt.Errorf("new privileges can't be ruled out: %w", err)
	}
	if syscall.Setuid(0) == nil || who.gid != 0 && syscall.Setgid(0) == nil {
		return errors.New("root's privileges could be regained")
	}
	if os.Getuid() != who.uid || os.Geteuid() != who.uid || os.Getgid() != who.gid || os.Getegid() != who.gid {
		return errors.New("the process still runs as another user")
	}
	return nil
}
