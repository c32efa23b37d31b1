"""Mixed features
==============

Numbers, counts and categories in one model, with missing values and labels.

Each feature has a suitable family; missing values are integrated out, and unlabelled rows are
used as well.
"""

import numpy as np
import pandas as pd

from gaussbayes import GaussianClassifier, plots

generator = np.random.default_rng(0)
n = 3000
ill = generator.random(n) < 0.3
patients = pd.DataFrame(
    {
        "temperature": generator.normal(36.8 + 1.2 * ill, 0.6),
        "visits": generator.poisson(1 + 2 * ill),
        "smokes": np.where(generator.random(n) < 0.2 + 0.3 * ill, "yes", "no"),
    }
)
labels = np.where(ill, "ill", "well").astype(object)

# A fifth of the values are missing, and only one row in fifty has a label.
patients = patients.mask(generator.random(patients.shape) < 0.2)
hidden = generator.random(n) < 0.98
known = np.where(hidden, None, labels)

settings = {"families": {"visits": "poisson"}, "smoothing": 1}
model = GaussianClassifier(**settings).fit(patients, known)
alone = GaussianClassifier(**settings).fit(patients[~hidden], known[~hidden])

print(f"{(~hidden).sum()} labelled rows, {hidden.sum()} without label")
print("columns:", ", ".join(f"{each.name} ({each.kind})" for each in model.columns_))
for name, each in [("labelled rows alone", alone), ("all rows", model)]:
    prior = each.priors_[0]
    wrong = np.mean(each.predict(patients) != labels)
    loss = -np.mean(np.log(each.predict_proba(patients)[np.arange(n), (~ill).astype(int)]))
    print(f"{name:>19}: p(ill) = {prior:.3f}, error {wrong:.1%}, log loss {loss:.3f}")

# The contribution of each feature to the log-odds of a patient who smokes and came five times.
odds = model.explain([None, 5, "yes"], ("ill", "well")).log_odds
for part in odds.contributions:
    print(f"{part.feature:>12} adds {part.amount:+.2f}")

# %%
plots.regions(model, patients[~hidden], known[~hidden], features=["temperature", "visits"])
