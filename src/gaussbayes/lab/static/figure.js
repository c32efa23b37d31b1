/**
 * The figure component: `gaussbayes.figure(element, spec)` draws a Gaussian classifier and lets the reader move it.
 *
 * THE SPEC is plain JSON: the state of the figure and what may be changed. Every member has a default.
 *
 * view        "plane"     two features: regions, points, ellipses, boundary
 *             "line"      one feature: prior × density above, posterior below (with one class: only the density)
 *             "surface"   evidence p(x) over the plane in 3-D; drag or arrow keys turn it
 *             "areas"     Bayes' rule for categories: widths are priors, filled heights likelihoods, areas joint probabilities
 *             "bars"      Shapley contributions of each feature of the query to the log-odds of two classes
 *             "learning"  training rows against test error: Gaussians and logistic regression
 * data        { rows: [[…]], labels: […|null], features: ["length (cm)"], target: "species", name }
 *             { columns: [{name, kind: "number"|"category", values: […|null]}], labels, target, name }   (values may be typed arrays)
 *             { example: "iris", n, seed }                 names: figure/examples.js; n and seed only for drawn examples
 *             { draw: {n: [100, 100], seed: 1, means, covariances, classes, features} }   a class that is named twice is a mixture
 *             every form: `without: ["C"]` withholds the rows of these classes until "add class" is pressed
 *             a label null is an unlabelled row (grey; fitted by EM); a value null is missing
 * model       { covariance: "full"|"diagonal"|"spherical", shared: false|true|0…1, shrinkage, priors: null|"uniform"|[…], divisor: "mle"|"unbiased",
 *               smoothing }                                fitted to the data whenever they change
 *             { parameters: {classes, priors, means, covariances, probabilities} }   given; only these have handles.
 *               probabilities, for "areas": [{name: "test", levels: ["negative", "positive"], table: [[0.9, 0.1], [0.1, 0.9]]}] (a row for each class)
 *             { grid: {pairs: {"0,1": {x, y, width, height, posterior}}, classes, reason} }   posteriors computed by Python
 * features    columns used by the model, by number or name: two for plane and surface (default: the first two of numbers), one for
 *             line, any number for bars and areas (default: all). Indices in quantities and in `query` count within this list.
 * hidden      features that are not measured and are integrated out, by number or name: [1]; a chip on the plot measures them again
 * query       [1.2, 0.2] values of the features (null: missing), or null for none
 * odds        ["A", "B"]: the classes of the log-odds in bars (default: the most probable against the next one)
 * neighbours  k of the k-nearest-neighbour rule, drawn instead of the Gaussians' regions where layers.neighbours is true
 * step        number of EM steps that are shown (0 is the start); null: converged
 * test        { proportion: 0.3, seed: 1 } holds out rows, drawn hollow, for test_error; null: none
 * learning    { sizes: [5, 10, …], repeats: 30, test: 1000, seed: 1, size: 40 }; `size` is the marked sample size per class
 * layers      regions: "blend" (posterior, fading where evidence is low) | "labels" | "none"
 *             points, ellipses (1 and 2 σ), boundary, errors (marks on misclassified points), truth (dashed: generating Gaussians)
 *             density: plane – contours of prior × density; line – p(x | class) dashed
 *             joint: line – prior × density, filled (default true);  evidence: plane – contours of p(x), line – the sum curve
 *             neighbours: regions of the k-nearest-neighbour rule.  Defaults: plane – regions, points, ellipses, boundary, errors.
 * move        ["query", "means", "covariances", "priors", "likelihoods", "points"] what pointer and keyboard move
 *             (means and covariances: handles, only with model.parameters; on a line covariances are standard deviations)
 * tool        null | {add: "A"} | {erase: true}: a press on the plane adds a point of a class or erases points
 * zoom        true: the wheel zooms, a drag with Shift or two fingers shifts, a double click shows everything again
 * window      {x: [a, b], y: [a, b]} shown part; null: all data
 * controls    {set: PATH, label, min, max, step, scale: "log"}   slider
 *             {set: PATH, label, values: [[label, value], …]}    segmented choice (a list where there are more than five)
 *             {set: PATH, label}                                 checkbox (true or false)
 *             {press: "step"|"restart"|"run"|"draw"|"reset"|"add class"|"by hand", label}
 *               step: one EM step more; restart: EM step 0; run: EM until it converges, step by step; draw: a new sample (seed + 1);
 *               reset: the spec as it was given; add class: the next withheld class, or a new Gaussian; by hand: handles for a fitted model
 * readouts    ["posterior.B", {quantity: "error", label: "training error", format: "5.2 %"}] a row of numbers under the figure
 * card        true: prior × likelihood ÷ evidence = posterior of the query, docked under the plot
 * caption, alt (for screen readers), height (pixels of the plot), name (of the figure)
 *
 * A PATH is a dotted path into the spec ("model.shared", "layers.truth", "query.0", "model.parameters.means.0.1") or one of
 * prior.C (the others are rescaled), likelihood.C (areas: of the query's category), mean.C.i, sd.C.i, variance.C.i, correlation.C (given parameters).
 *
 * QUANTITIES, for readouts, `handle.quantity` and prose (class C by label, feature by index; at the query unless noted):
 * prior.C likelihood.C log_likelihood.C joint.C evidence log_evidence posterior.C log_odds.A.B squared_distance.C distance.C p_value.C
 * mean.C.i variance.C.i sd.C.i covariance.C correlation.C boundary.0 boundary.1 (line) n n.C errors error test_errors test_error bayes_error
 * leave_one_out_error data_log_likelihood nll.labels nll.features nll.total n_parameters query.i k vote.C neighbour_error em_step
 * em_log_likelihood contribution.i base learning.generative learning.discriminative (test errors at learning.size)
 *
 * IN PROSE  <span data-figure="ID" data-live="posterior.B">0.672</span> follows the figure in the format of its text (decimals, %, e-notation);
 *           <button class="live-set" data-figure="ID" data-set='{"model.shared": 1}'>pooled</button> sets it ({"press": "step"} presses).
 *
 * THE HANDLE  { state, get(path), set(patch, {animate: true, record: true}), press(name), quantity(name), parameters(), table(),
 *   on("change", ({state, record, settled}) => …), on("select", ({row}) => …), on("problem", ({message}) => …), png() → Promise<Blob>, svg() → text,
 *   destroy() }.  `settled` is false during a drag; its last event has settled and record true.
 */
