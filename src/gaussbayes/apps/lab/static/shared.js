// The page of a shared address, which holds no key: a lab that is open in this browser says where it is.

const channel = new BroadcastChannel("gaussbayes lab");
channel.onmessage = ({ data }) => {
	if (/^\/[\w-]{20,}\/$/.test(data)) location.replace(data + location.hash);
};
channel.postMessage("where");
setTimeout(() => {
	document.getElementById("said").textContent =
		"No lab is open in this browser. Start one with “gaussbayes lab”, then reload this page, or paste its address into the lab.";
}, 1500);
