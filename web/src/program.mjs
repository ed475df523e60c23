// The program as the page sees it: what is embedded in the page, compiled once, and run in
// a worker of its own each time.

// Gives the bytes of an embedded text: Ascii85, with v for <. Five characters are four bytes, z is four of 0, and fewer
// than five at the end are a byte less than they are characters.
function decode(text) {
	const [first, last, zeros, less] = ["!", "u", "z", "<"].map((c) => c.charCodeAt(0));
	const bytes = new Uint8Array(text.length * 4);
	let n = 0;
	let word = 0;
	let digits = 0;
	const write = (count) => {
		for (let k = 0; k < count; k++) {
			bytes[n++] = word >>> (24 - 8 * k);
		}
		word = digits = 0;
	};
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);
		if (c === zeros) {
			write(4);
			continue;
		}
		word = word * 85 + (c > last ? less : c) - first;
		if (++digits === 5) {
			write(4);
		}
	}
	if (digits > 0) {
		const count = digits - 1;
		for (; digits < 5; digits++) {
			word = word * 85 + 84;
		}
		write(count);
	}
	return bytes.subarray(0, n);
}

export class Program {
	// Compiles the program of the page.
	static async load(document) {
		const element = document.getElementById("program");
		const packed = new Blob([decode(element.textContent)]);
		element.remove();
		const plain = packed.stream().pipeThrough(new DecompressionStream("gzip"));
		const program = new Program();
		program.module = await WebAssembly.compile(await new Response(plain).arrayBuffer());
		program.worker = URL.createObjectURL(new Blob([document.getElementById("worker").textContent], { type: "text/javascript" }));
		return program;
	}

	// Runs a command line. progress is told how many bytes were read. cancel ends the
	// run: nothing is heard of it any more.
	start(args, files, progress) {
		const worker = new Worker(this.worker);
		const result = new Promise((resolve, reject) => {
			worker.onmessage = ({ data }) => {
				if (data.kind === "progress") {
					progress(data.read);
					return;
				}
				worker.terminate();
				data.kind === "done" ? resolve(data) : reject(new Error(data.message));
			};
			worker.onerror = (e) => {
				worker.terminate();
				reject(new Error(e.message || "the worker could not be started"));
			};
		});
		worker.postMessage({ program: this.module, args, files });
		return { result, cancel: () => worker.terminate() };
	}
}
