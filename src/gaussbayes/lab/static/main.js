// The entry of the page's script: `globalThis.gaussbayes`, and the live figures of a document.

import {
	bayesError, boundaryCurves, chiSquare, cholesky, confusion, contourLines, covarianceOf, ellipse, ellipseAxes, fit,
	fromParameters, gaussianDensity, leaveOneOut, lineBoundaries, logGaussian, logisticRegression, logSumExp,
	negativeLogLikelihood, neighbours, planeFit, posteriorGrid, random, sample, shapley,
} from "./density.js";
import { figure } from "./figure.js";
import { lab } from "./lab.js";

const density = {
	bayesError, boundaryCurves, chiSquare, cholesky, confusion, contourLines, covarianceOf, ellipse, ellipseAxes, fit,
	fromParameters, gaussianDensity, leaveOneOut, lineBoundaries, logGaussian, logisticRegression, logSumExp,
	negativeLogLikelihood, neighbours, planeFit, posteriorGrid, random, sample, shapley,
};

globalThis.gaussbayes = { figure, lab, density, figures: new Map() };

/** Turn every `<figure class="live" data-spec>` into a figure; one whose spec is wrong stays the image that it is. */
function drawLiveFigures() {
	for (const element of document.querySelectorAll("figure.live[data-spec]")) {
		try {
			globalThis.gaussbayes.figures.set(element.id, figure(element, JSON.parse(element.dataset.spec)));
		} catch (error) {
			console.error(`live figure ${element.id}: ${error.message}`);
		}
	}
}

/** Start the lab if this is its page, and draw the live figures of any other. */
function start() {
	const payload = document.getElementById("gaussbayes-lab");
	if (payload) globalThis.gaussbayes.app = lab(document.getElementById("lab"), JSON.parse(payload.textContent));
	drawLiveFigures();
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
