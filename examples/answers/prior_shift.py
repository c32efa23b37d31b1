"""Prior shift
===========

One class has become rarer than in training; unlabelled rows are sufficient to estimate the new
priors.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier, make_gaussian_dataset

means = [[0, 0], [2, 0.5]]
X, y = make_gaussian_dataset(500, means, random_state=0)
model = GaussianClassifier(shared=True).fit(X, y)

truth, estimated, counted, errors = np.linspace(0.05, 0.95, 13), [], [], []
for seed, proportion in enumerate(truth):
    rare = round(2000 * proportion)
    new, labels = make_gaussian_dataset([2000 - rare, rare], means, random_state=seed)
    prior = model.estimate_priors(new).prior
    estimated.append(prior[1])
    counted.append(np.mean(model.predict(new)))
    errors.append([1 - each.score(new, labels) for each in (model, model.with_priors(prior))])

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(truth, truth, color="0.6", label="truth")
left.plot(truth, counted, marker="s", label="counted predictions")
left.plot(truth, estimated, marker="o", label="estimated")
left.set(xlabel="proportion of class 1", ylabel="estimate")
left.legend()
right.plot(truth, np.array(errors)[:, 0], marker="s", label="priors of training")
right.plot(truth, np.array(errors)[:, 1], marker="o", label="estimated priors")
right.set(xlabel="proportion of class 1", ylabel="error", ylim=0)
right.legend()
