// Names of files.

// Gives chosen files the names under which the program sees them: each its own, none that
// reads as a flag or as standard input, and all of them well-formed text.
export function named(files) {
	const all = new Map();
	for (const file of files) {
		let name = file.name.toWellFormed().replaceAll("\0", "�") || "capture";
		if (name.startsWith("-")) {
			name = "./" + name;
		}
		let unique = name;
		for (let n = 2; all.has(unique); n++) {
			unique = `${name} (${n})`;
		}
		all.set(unique, file);
	}
	return all;
}

// Gives the name under which a result is saved, of letters that every system takes.
export function savedAs(first, ending) {
	const plain = first.replace(/^[^A-Za-z0-9]+/, "").replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 80);
	return `${plain || "capture"}.${ending}`;
}
