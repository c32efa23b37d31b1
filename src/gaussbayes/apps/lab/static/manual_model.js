// A model set by hand, made from the parameters of an answer.
//
// It always has two coordinates. Of a single feature the second says nothing: it has mean 0,
// variance 1 and no correlation.

/** What the state holds of such a model; null where a class has no points, or no numbers. */
export function manualModel({ priors, means, covariances }) {
	if (!means.every((mean) => mean?.length)) return null;
	return {
		from: "hand",
		priors,
		means: means.map(([x, y = 0]) => [x, y]),
		covariances: covariances.map((own) => (own.length === 1 ? [[own[0][0], 0], [0, 1]] : own)),
	};
}

/** The answers that bring parameters of the data, that of the present figure first. */
export function answersWithParameters(app) {
	const { line, scene } = app.answers;
	const shown = app.flat || app.state.view === "line" ? [line, scene] : [scene, line];
	return shown.filter((answer) => answer && answer.request.data === app.data?.id && answer.head.parameters);
}
