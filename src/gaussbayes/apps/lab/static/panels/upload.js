// Sending a table to the server, with progress and errors that can be read.

/** The server keeps the file in memory; resolves with what it found in it. */
export function upload(file, { endings, limits: { upload: limit } }, onProgress) {
	const ending = /\.\w+$/.exec(file.name.toLowerCase())?.[0];
	if (ending && !endings.includes(ending)) {
		return Promise.reject(new Error(`${file.name}: a name ending in ${ending} is not that of a table.`));
	}
	if (file.size > limit) {
		return Promise.reject(new Error(`${file.name} has ${size(file.size)}; at most ${size(limit)} are taken.`));
	}
	return new Promise((resolve, reject) => {
		const request = new XMLHttpRequest(); // fetch tells no progress of what it sends
		request.open("POST", "upload");
		request.setRequestHeader("Content-Type", "application/octet-stream");
		request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
		request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
		request.onerror = () => reject(new Error("The server cannot be reached, or refused the file."));
		request.onload = () => {
			const answer = read(request.responseText);
			if (request.status === 200 && answer?.upload) resolve(answer);
			else reject(new Error(reason(request, answer)));
		};
		request.send(file);
	});
}

function read(text) {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

function reason(request, answer) {
	const said = answer?.text ?? answer?.error ?? (answer ? null : request.responseText);
	if (said) return String(said).slice(0, 500);
	if (request.status === 413) return "The file is larger than the server takes.";
	return `The server answered ${request.status} ${request.statusText}.`;
}

function size(bytes) {
	return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
}
