"""One Gaussian
============

Its density, and the conditional distribution of one feature given the other.
"""

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import Gaussian, plots

people = Gaussian([170, 65], [[100, 40], [40, 64]], feature_names=["height", "weight"])
ax = plots.evidence(people, people.sample(100, random_state=0))
plots.ellipses(people, levels=(1, 2), ax=ax)

# %%
# The conditional distribution moves with the height, and is narrower than that of everybody.
weight = np.linspace(35, 100, 300)
figure, ax = plt.subplots(layout="constrained")
ax.plot(weight, people.marginal(["weight"]).pdf(weight), color="0.4", label="everybody")
for height in (155, 170, 185):
    given = people.conditional({"height": height})
    ax.plot(weight, given.pdf(weight), label=f"{height} cm tall")
    print(f"{height} cm: {given.mean[0]:.0f} ± {given.covariance[0, 0] ** 0.5:.1f} kg")
ax.set(xlabel="weight", ylabel="density")
ax.legend()
