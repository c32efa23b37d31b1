// Sending a table to the server, with progress and errors that can be read.

const KINDS = /\.(csv|tsv|txt|parquet|pq)$/i;

/**
 * Send one file; the server keeps it in memory and answers with what it found.
 *
 * @param {File} file
 * @param {number|null} limit the most bytes that the server takes
 * @param {(share: number) => void} onProgress
 * @returns {Promise<object>} {upload: id, …}; rejected with an Error whose message can be shown
 */
export function upload(file, limit, onProgress) {
  if (!KINDS.test(file.name)) {
    return Promise.reject(new Error(`${file.name} is neither a CSV nor a Parquet file.`));
  }
  if (limit && file.size > limit) {
    return Promise.reject(
      new Error(`${file.name} has ${size(file.size)}; at most ${size(limit)} are taken.`),
    );
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch tells no progress of what it sends
    request.open("POST", "upload");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(
      event.loaded / event.total,
    );
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
