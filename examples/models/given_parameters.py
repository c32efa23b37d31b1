"""Given parameters
================

A model from known parameters instead of data: posteriors, other priors, and simulated rows.
"""

import numpy as np

from gaussbayes import GaussianClassifier, plots

# A test result is 100 ± 10 in healthy people and 130 ± 20 in ill people.
model = GaussianClassifier.from_parameters(
    priors=[0.5, 0.5],
    means=[[100], [130]],
    covariances=[[[100]], [[400]]],
    classes=["healthy", "ill"],
    feature_names=["reading"],
)
reading = [[118.0]]
print(f"equal priors: p(ill | 118) = {model.predict_proba(reading)[0, 1]:.3f}")

# One person in fifty is ill: the Gaussians stay, the prior changes.
screening = model.with_priors({"healthy": 0.98, "ill": 0.02})
print(f"one in fifty: p(ill | 118) = {screening.predict_proba(reading)[0, 1]:.3f}")
before, after = (each.log_odds(reading, "ill", "healthy")[0] for each in (model, screening))
print(f"log-odds of ill: {before:.3f} before, {after:.3f} after, log(1/49) apart")

# The variance of the ill is larger, so that very low readings indicate illness as well.
for name, each in [("equal priors", model), ("one in fifty", screening)]:
    odds = each.boundary("ill", "healthy")
    low, high = sorted(np.roots([odds.quadratic[0, 0], odds.linear[0], odds.constant]))
    print(f"{name}: healthy between {low:.1f} and {high:.1f}")

# Draw people from the model, and count the errors of the best rule.
X, y = screening.sample(100_000, random_state=0)
print(f"error of the best rule: {np.mean(screening.predict(X) != y):.2%}")
print(f"error of always saying healthy: {np.mean(y == 'ill'):.2%}")

# %%
# Both Gaussians, and the decision boundary for equal priors:
plots.densities(model)
