"""From what a classifier says to what to do, and why: decisions, p-values, priors, explanations."""

from typing import Any, Literal

from gaussbayes import validation
from gaussbayes.analysis import decision, novelty, synthesis
from gaussbayes.analysis.bayes_error import BayesError, bayes_error
from gaussbayes.analysis.costs import Costs, check_costs
from gaussbayes.analysis.decision import Decisions
from gaussbayes.analysis.evidence import PValues, evidence_distribution
from gaussbayes.analysis.explanation import Explanation, explain
from gaussbayes.analysis.prior_shift import PriorShift, prior_shift
from gaussbayes.base.finite import refuse_not_finite
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.model.prior import Priors
from gaussbayes.predicting import Predicting


class Deciding(Predicting):
    """What follows from the probabilities that a classifier gives. No arithmetic here."""

    def decide(
        self,
        X: Any,
        *,
        costs: Costs | None = None,
        reject_below: float | None = None,
        reject_cost: float | None = None,
        novelty_level: float | None = None,
        priors: Priors | Literal["own"] = "own",
    ) -> Decisions:
        """The class of least expected cost for each row, or why the row is better left open.

        Parameters
        ----------
        costs : (k, k) what deciding for the class of the column costs where that of the row is
            true, or ``{(true label, decided label): cost}``. None is 1 for every mistake: the most
            probable class.
        reject_below : refuse rows whose most probable class is less probable than that
        reject_cost : refuse rows of which even the best decision is expected to cost more
        novelty_level : refuse rows that are like no class: of the rows of every class fewer than
            this share lie so far out, by their numbers
        priors : others than the model's, as in the constructor

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> model = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["ill", "well"])
        >>> model.decide([[1.0], [2.1], [30.0]], reject_below=0.8, novelty_level=1e-3).labels
        array(['ill', None, None], dtype=object)
        >>> model.decide([[2.5]], costs={("ill", "well"): 50, ("well", "ill"): 1}).labels
        array(['ill'], dtype=object)
        """
        if not (isinstance(priors, str) and priors == "own"):
            changed = self.with_priors(priors)
            return changed.decide(
                X,
                costs=costs,
                reject_below=reject_below,
                reject_cost=reject_cost,
                novelty_level=novelty_level,
            )
        parameters, schema = self._complete(), self._model.schema
        unlike = None
        if novelty_level is not None:
            unlike = novelty.novel(self.p_values(X), novelty_level, parameters.prior)
        return decision.decide(
            self.predict_log_proba(X),
            None if costs is None else check_costs(costs, schema),
            reject_below=reject_below,
            reject_cost=reject_cost,
            novel=unlike,
            classes=schema.classes,
        )

    def p_values(self, X: Any) -> FloatArray:
        """How probable it is that a row of the class lies at least so far out (n, k).

        ``P(χ²_d ≥ m²)`` of the squared Mahalanobis distance m², by the d features that hold
        numbers; a model that has none refuses. A row whose p-values are all tiny is like no class,
        whatever its posteriors say.
        """
        return self._score_numbers(novelty.class_p_values, X)

    def evidence_p_values(
        self, X: Any, n_draws: int = 100_000, random_state: synthesis.RandomState = 0
    ) -> PValues:
        """How probable it is that a row of the model has no more evidence than each row (n,).

        Simulated, with standard errors; see `evidence_distribution`. Those are
        rows of all features, so that none may be missing here. Categories are drawn too; one that
        training has not seen is refused, since the evidence is then that of the other features.
        """
        parameters = self._complete()
        if isinstance(parameters, Parameters):
            rows = validation.features_as_before(self, X)
            refuse_not_finite(rows, names=self._model.schema.features)
        else:
            from gaussbayes.model import mixed_rows

            mixed_rows.refuse_incomplete(self, self._model, X)
        found = evidence_distribution(parameters, n_draws, random_state, self.n_jobs)
        return found.p_values(self.score_samples(X))

    def estimate_priors(self, X: Any, sample_weight: Any = None, **settings: Any) -> PriorShift:
        """The priors of rows without labels, where only the classes' shares have changed.

        Use them with `with_priors`; `settings` are those of `prior_shift`.

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> model = GaussianClassifier.from_parameters(None, [[0], [8]], [[1]], ["a", "b"])
        >>> found = model.estimate_priors([[0.2], [-0.3], [0.1], [8.4]])
        >>> found.prior.round(3).tolist()
        [0.75, 0.25]
        >>> model.with_priors(found.prior).priors_.round(3).tolist()
        [0.75, 0.25]
        """
        log_posterior = self.predict_log_proba(X)
        return prior_shift(log_posterior, self._complete().prior, sample_weight, **settings)

    def bayes_error(
        self, n_draws: int = 100_000, random_state: synthesis.RandomState = 0
    ) -> BayesError:
        """How often the best rule is wrong if the model is right, simulated, and a bound of it."""
        return bayes_error(self._complete(), n_draws, random_state, self.n_jobs)

    def explain(
        self, row: Any, between: tuple[Any, Any] | None = None, reference: Any = "mean"
    ) -> Explanation:
        """Bayes' rule for one row with every number, and what each feature adds to the log-odds.

        Parameters
        ----------
        row : (d,) the features, or a table of one row; NaN is a value that is missing, None a
            category that is
        between : the labels of two classes whose log-odds are split up; None is the most probable
            one and the next
        reference : the point (d,) at which every contribution is 0; ``"mean"`` is the mean of the
            classes' means weighted by their priors, ``"rival"`` the mean of the second class.
            Categories have no place in it: they are compared with one that is not known

        Examples
        --------
        >>> from gaussbayes import GaussianClassifier
        >>> model = GaussianClassifier.from_parameters(
        ...     None, [[0, 0], [2, 4]], [[1, 0], [0, 1]], covariance="full"
        ... )
        >>> told = model.explain([2.0, 3.0])
        >>> [round(terms.posterior, 4) for terms in told.bayes.classes]
        [0.0025, 0.9975]
        >>> [one.amount for one in told.log_odds.contributions]
        [2.0, 4.0]
        """
        parameters, schema = self._complete(), self._model.schema
        pair = None if between is None else validation.codes_of(*between, schema)
        if isinstance(parameters, Parameters):
            return explain(parameters, schema, validation.one_row(self, row), pair, reference)
        from gaussbayes.model import mixed_rows

        one = mixed_rows.one_row(self, self._model, row)
        return explain(parameters, schema, one, pair, reference)
