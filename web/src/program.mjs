// The program as the page sees it: what is embedded in the page, compiled once, and run in
// a worker of its own each time.

// Gives the bytes of an embedded base64 text.
function decode(text) {
	const part = 1 << 20; // characters at once, a multiple of 4
	const bytes = new Uint8Array(text.length / 4 * 3);
	let n = 0;
	for (let i = 0; i < text.length; i += part) {
		const raw = atob(text.slice(i, i + part));
		for (let k = 0; k < raw.length; k++) {
			bytes[n++] = raw.charCodeAt(k);
		}
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
