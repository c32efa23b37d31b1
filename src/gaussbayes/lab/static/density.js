// The mathematics of Gaussian classifiers, without any page: pure functions that also run in Node. Their numbers are
// those of the Python library.

export { bayesError, lineBoundaries } from "./density/line.js";
export { boundaryCurves, contourLines } from "./density/contours.js";
export { cholesky } from "./density/matrices.js";
export { chiSquare, gaussianDensity, logGaussian, logSumExp } from "./density/gaussian.js";
export { confusion, leaveOneOut, negativeLogLikelihood } from "./density/evaluation.js";
export { covarianceOf, ellipse, ellipseAxes } from "./density/ellipse.js";
export { fit } from "./density/fit.js";
export { fromParameters } from "./density/model.js";
export { logisticRegression } from "./density/logistic.js";
export { neighbours } from "./density/neighbours.js";
export { planeFit, posteriorGrid } from "./density/plane.js";
export { random, sample } from "./density/random.js";
export { shapley } from "./density/shapley.js";
