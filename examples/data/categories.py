"""Categories
==========

Discrete naive Bayes: category probabilities of each class, their product, and Bayes' rule.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gaussbayes import GaussianClassifier

days = """
sun weak no; sun strong no; cloud weak yes; rain weak yes; rain weak yes; rain strong no;
cloud strong yes; sun weak no; sun weak yes; rain weak yes; sun strong yes; cloud strong yes;
cloud weak yes; rain strong no
"""
columns = ["outlook", "wind", "play"]
table = pd.DataFrame([day.split() for day in days.split(";")], columns=columns)
model = GaussianClassifier(smoothing=1).fit(table, "play")
today = pd.DataFrame({"outlook": ["sun", "cloud", None], "wind": ["strong", "weak", "strong"]})
print(today.assign(**{"p(yes)": model.predict_proba(today)[:, 1].round(3)}))

figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
for ax, (name, probability) in zip(axes, model.category_probabilities_.items(), strict=True):
    places = np.arange(len(probability))
    for code, label in enumerate(model.classes_):
        heights = [of_classes[code] for of_classes in probability.values()]
        ax.bar(places + 0.4 * code, heights, width=0.38, label=f"play: {label}")
    ax.set(title=name, xticks=places + 0.2, xticklabels=list(probability))
axes[0].set_ylabel("p(category | class)")
axes[1].legend()
