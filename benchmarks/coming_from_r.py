"""The counterparts on docs/coming-from/r.md, checked by running R.

``python benchmarks/coming_from_r.py`` prints the largest difference of each. R with MASS, e1071 and
mclust is needed (Debian: r-base-core, r-cran-mass, r-cran-e1071 and r-cran-mclust). klaR's `rda` is
run if klaR is installed, and otherwise written out by its formula. Both are fitted to 125 irises,
50, 30 and 45 of a species.
"""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import gaussbayes.sklearn
from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_iris

R = r"""
suppressPackageStartupMessages({ library(MASS); library(e1071); library(mclust) })
data <- read.csv("rows.csv"); x <- as.matrix(data[, 1:4]); y <- factor(data$y)
write <- function(name, values) write.table(format(values, digits = 17), paste0(name, ".txt"),
                                            quote = FALSE, row.names = FALSE, col.names = FALSE)
fit <- lda(x, y)
write("lda", predict(fit)$posterior)
write("scaling", fit$scaling)
write("axes", predict(fit)$x)
write("lda_mle", predict(lda(x, y, method = "mle"), x)$posterior)
write("lda_prior", predict(lda(x, y, prior = c(.2, .3, .5)))$posterior)
write("prior", predict(fit, prior = c(.2, .3, .5))$posterior)
write("qda", predict(qda(x, y))$posterior)
write("lda_cv", lda(x, y, CV = TRUE)$posterior)
write("qda_cv", qda(x, y, CV = TRUE)$posterior)
write("naive", predict(naiveBayes(x, y), x, type = "raw"))
by_species <- split(data[, 1:4], y)
n <- sapply(by_species, nrow)
S <- lapply(by_species, cov)
pooled <- Reduce(`+`, Map(function(s, m) s * (m - 1) / (sum(n) - 3), S, n))
regularised <- function(lambda, gamma) {
  joint <- mapply(function(s, rows, m) {
    s <- (1 - lambda) * s + lambda * pooled
    s <- (1 - gamma) * s + gamma * mean(diag(s)) * diag(4)
    log(m) - .5 * (determinant(s)$modulus + mahalanobis(x, colMeans(rows), s))
  }, S, by_species, n)
  joint <- exp(joint - apply(joint, 1, max))
  joint / rowSums(joint)
}
rda <- function(lambda, gamma) {
  if (!requireNamespace("klaR", quietly = TRUE)) return(regularised(lambda, gamma))
  predict(klaR::rda(x, y, lambda = lambda, gamma = gamma), x)$posterior
}
write("rda", rda(.3, 0))
write("rda_gamma", rda(.3, .2))
for (name in c("VVV", "EEE", "VVI", "EEI", "VII", "EII")) {
  fit <- MclustDA(x, y, modelType = "EDDA", modelNames = name, verbose = FALSE)
  write(name, predict(fit, x)$z)
  write(paste0(name, "_criteria"), c(fit$loglik, fit$df, fit$bic))
}
cat(R.version.string, "\n")
absent <- function(e) "by its formula"
for (name in c("MASS", "e1071", "mclust", "klaR"))
  cat(name, tryCatch(as.character(packageVersion(name)), error = absent), "\n")
"""

MCLUST = {"VVV": "full", "EEE": "full", "VVI": "diagonal", "EEI": "diagonal"} | {
    "VII": "spherical",
    "EII": "spherical",
}


def fitted(X: Any, y: Any, *options: Any, **more: Any) -> GaussianClassifier:
    """The classifier with these options, with the unbiased estimates of R by default."""
    return GaussianClassifier(*options, **({"divisor": "unbiased"} | more)).fit(X, y)


def pairs(X: Any, y: Any, theirs: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """Each counterpart with what R has and what gaussbayes has."""
    linear = fitted(X, y, shared=True)
    drop_in = gaussbayes.sklearn.LinearDiscriminantAnalysis().fit(X, y)
    # The axes have unit variance within classes: MASS divides by N − k, scikit-learn by N.
    scale = np.sqrt((len(y) - 3) / len(y))
    scale = scale * np.sign((drop_in.scalings_ * theirs["scaling"]).sum(axis=0))
    prior = [0.2, 0.3, 0.5]
    found = [
        ("lda: posterior", theirs["lda"], linear.predict_proba(X)),
        ("lda: scaling", theirs["scaling"], scale * drop_in.scalings_),
        ("lda: predict()$x", theirs["axes"], scale * drop_in.transform(X)),
        ("predict(fit, prior =)", theirs["prior"], linear.with_priors(prior).predict_proba(X)),
        ("qda: posterior", theirs["qda"], fitted(X, y).predict_proba(X)),
        (
            "lda(prior =): posterior",
            theirs["lda_prior"],
            fitted(X, y, shared=True, priors=prior).predict_proba(X),
        ),
        (
            'lda(method = "mle"): posterior',
            theirs["lda_mle"],
            fitted(X, y, shared=True, divisor="mle").predict_proba(X),
        ),
    ]
    for name, shared in (("lda", True), ("qda", False)):
        for words, priors in (("default", None), ("given priors", linear.priors_.tolist())):
            model = fitted(X, y, shared=shared, priors=priors)
            ours = np.exp(model.leave_one_out(X, y).log_posterior)
            found.append(
                (f"{name}(CV = TRUE) and leave_one_out, {words}", theirs[f"{name}_cv"], ours)
            )
    found += [
        ("naiveBayes", theirs["naive"], fitted(X, y, "diagonal").predict_proba(X)),
        ("rda(lambda = .3, gamma = 0)", theirs["rda"], fitted(X, y, shared=0.3).predict_proba(X)),
        (
            "rda(lambda = .3, gamma = .2)",
            theirs["rda_gamma"],
            fitted(X, y, shared=0.3, shrinkage=0.2, shrinkage_target="spherical").predict_proba(X),
        ),
    ]
    for name, shape in MCLUST.items():
        model = fitted(X, y, shape, shared=name[0] == "E", divisor="mle")
        log_likelihood = model.score_samples(X).sum()
        degrees = model.n_parameters_ - 2
        criteria = log_likelihood, degrees, 2 * log_likelihood - degrees * np.log(len(y))
        found.append((f"mclust {name}: posterior", theirs[name], model.predict_proba(X)))
        found.append((f"mclust {name}: loglik, df, bic", theirs[f"{name}_criteria"], criteria))
    return found


def main() -> None:
    """Run R, and print the largest difference of each counterpart."""
    iris = load_iris()
    rows = np.r_[0:50, 50:80, 100:145]
    X, y = iris.rows[rows], iris.labels[rows]
    with tempfile.TemporaryDirectory() as folder:
        lines = [
            ",".join([*map(repr, row), label]) for row, label in zip(X.tolist(), y, strict=True)
        ]
        (Path(folder) / "rows.csv").write_text("\n".join(["a,b,c,d,y", *lines]))
        run = subprocess.run(
            ["Rscript", "-e", R], cwd=folder, check=True, capture_output=True, text=True
        )
        theirs = {path.stem: np.loadtxt(path) for path in Path(folder).glob("*.txt")}
    print(run.stdout)
    for name, first, second in pairs(X, y, theirs):
        print(f"{name:50} {np.abs(np.asarray(first) - second).max():.1e}")


if __name__ == "__main__":
    main()
