"""The model and the rows that a report is about, and what they say."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.comparison import AVERAGED, ComparedModel, Comparison, compare
from gaussbayes.analysis.explanation import bayes_rule
from gaussbayes.analysis.held_out import (
    LeaveOneOut,
    leave_one_out,
    model_options,
    training_frequencies,
)
from gaussbayes.analysis.view import model_of, read_labelled
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError
from gaussbayes.base.types import LabelArray, RealArray
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.estimators import GaussianClassifier
from gaussbayes.model.evaluation import Evaluation, confident_errors, evaluate
from gaussbayes.model.model import Model
from gaussbayes.model.options import Options, check_options, options_of
from gaussbayes.model.summary import model_title


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Models that were compared on rows held out, or why there are none."""

    models: tuple[ComparedModel, ...] = ()
    subject: ComparedModel | None = None  # that with the structure of the report's
    source: Comparison | None = None
    problem: str | None = None

    @property
    def evaluation(self) -> Evaluation | None:
        """Of models with the settings of the report's."""
        return self.subject.evaluation if self.subject else None


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A fitted model and rows in its form, with or without label."""

    classifier: Any  # as it was given, for the plots
    model: Model
    rows: Rows
    table: Rows  # the same rows with all their categories, known to the model or not
    codes: NDArray[np.intp]  # (n,), −1 without label
    log_posterior: RealArray  # (n, k)
    row_names: NDArray[Any]  # (n,) what rows are called

    @classmethod
    def of(
        cls, classifier: Any, X: Any, y: Any, row_names: Sequence[str] | None = None
    ) -> "Subject":
        """Bring rows into the form of a model; raises what the model raises for others."""
        if isinstance(classifier, Model):
            classifier = GaussianClassifier.from_model(classifier)
        model_of(classifier)  # its densities are reported
        model, rows, codes = read_labelled(classifier, X, y)
        if not (codes >= 0).any():
            msg = "a report needs at least one row that has a label: give labels in y"
            raise DataError(msg)
        table = replace(model.encoder, categories=None).encode(X) if rows.unseen else rows
        if row_names is None:
            row_names = [f"row {number}" for number in range(1, codes.size + 1)]
        elif len(row_names) != codes.size:
            msg = f"row_names must name each of {codes.size} rows, got {len(row_names)}"
            raise OptionError(msg)
        names = np.array(row_names, dtype=object)
        return cls(classifier, model, rows, table, codes, model.log_posterior(rows), names)

    def selected(self, rows: NDArray[np.intp]) -> "Subject":
        """The same model with some of the rows."""
        names = ("rows", "table", "codes", "log_posterior", "row_names")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    @property
    def features(self) -> tuple[str, ...]:
        """What the features are called (d)."""
        return self.model.schema.titles

    @property
    def classes(self) -> LabelArray:
        """The labels of the model (k,)."""
        return self.model.schema.classes

    @property
    def labels(self) -> LabelArray:
        """The labels of the rows (n,), None where there is none."""
        if (self.codes >= 0).all():
            return self.classes[self.codes]
        return np.array([*self.classes.tolist(), None], dtype=object)[self.codes]

    def codes_of(self, labels: LabelArray) -> list[int]:
        """The codes of some of its classes."""
        codes = self.classes.tolist()
        return [codes.index(label) for label in labels.tolist()]

    @property
    def structure(self) -> Any:
        """The shape of the covariances and how far classes share one; None without any."""
        structures = (getattr(family, "structure", None) for family in self.model.settings.families)
        return next(filter(None, structures), None)

    @property
    def other_families(self) -> tuple[str, ...]:
        """What the families without covariances are called, each once."""
        families = self.model.settings.families
        others = (called(family) for family in families if not hasattr(family, "structure"))
        return tuple(dict.fromkeys(others))

    @property
    def name(self) -> str:
        """The common name of the model, such as LDA or categorical naive Bayes."""
        *names, last = self.other_families or ("",)
        others = f"{', '.join(names)} and {last}" if names else last
        if self.structure is None:
            return f"{others} naive Bayes"
        name = model_title(self.model)
        return f"{name} with {others} features" if others else name

    @property
    def was_fitted(self) -> bool:
        """Whether it was fitted to rows: its parameters may have been given instead."""
        return self.model.weighted_members[0][1].learnt is not None

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of its families, as users give them."""
        return options_of(self.model.settings, self.model.schema)

    @property
    def evaluation(self) -> Evaluation:
        """How its predictions compare with the labels of the rows that have one."""
        frequencies = training_frequencies(self.model)
        options: dict[str, Any] = {"frequencies": frequencies, "ranked": True}
        return evaluate(self.log_posterior, self.codes, self.classes, **options)

    def left_out(self) -> LeaveOneOut | None:
        """Every labelled row predicted by the model of all others; None if there are no such.

        An average is not judged so: its weights are chosen by rows left out.
        """
        if len(self.model.weighted_members) > 1:
            return None
        n_unlabelled = int(np.count_nonzero(self.codes < 0))
        targets = Targets(self.codes.astype(np.int32), self.classes.size, None, n_unlabelled)
        table, calibrated = LabelledRows(self.rows, targets, self.classes), self.model.calibration
        with suppress(GaussBayesError):
            return leave_one_out(
                table, self.model.schema, self.model.settings, calibrated=calibrated is not None
            )
        return None

    def confident_errors(self, most: int = 10) -> list[dict[str, Any]]:
        """Up to `most` misclassified rows with Bayes' rule; the largest wrong posterior first."""
        errors = []
        for row in confident_errors(self.log_posterior, self.codes, most).tolist():
            which = slice(row, row + 1)
            values = self.model.encoder.decode(self.table[which])[0].tolist()
            if (roles := self.model.schema.roles) is not None:
                values = [roles.dated(*cell) for cell in zip(self.features, values, strict=True)]
            error = {
                "row": self.row_names[row],
                "cells": list(map(_value, values)),
                "true": int(self.codes[row]),
            }
            error["predicted"] = int(self.log_posterior[row].argmax())
            errors.append(error | {"bayes": bayes_rule(self.model, self.rows[which])})
        return errors

    def compared(self, held_out: Any, seed: int) -> HeldOut:
        """This model and others on held-out rows."""
        if isinstance(held_out, tuple) and len(held_out) == 2:
            _, rows, codes = read_labelled(self.classifier, *held_out)
            held_out = (rows, replace(self, rows=rows, codes=codes).labels)
        options: dict[str, Any] = {"held_out": held_out, "random_state": seed}
        try:
            average = len(self.model.weighted_members) > 1
            plan = self._plan()
            source = compare(self.table, self.labels, model=plan, average=average, **options)
        except (DataError, OptionError) as error:
            return HeldOut(problem=str(error))
        models = [model for model in source.candidates if model.neighbors is None]
        if self.structure is None:  # there is one model without covariances
            models[0] = replace(models[0], name=self.name)
        subject = next((model for model in models if model.structure == self.structure), None)
        if average:
            subject = next(model for model in models if model.name == AVERAGED)
        voters = [model for model in source.candidates if model.neighbors is not None]
        return HeldOut((*models, *voters), subject, source, subject.problem if subject else None)

    def _plan(self) -> Options:
        """What makes the model anew; what was left open is as it was chosen."""
        plan = model_options(self.classifier)
        options = self.options
        chosen = {name: options[name] for name in plan.of_families if name in options}
        settled: dict[str, Any] = {
            "transform": check_options(transforms=options.get("transforms")).transform,
            "average": False,
            "known": replace(self.model.encoder, categories=None),
            "unlabelled": None,
        }
        return replace(plan.with_families(**chosen), **settled)

    def arguments(self) -> Mapping[str, Any] | None:
        """What makes the model anew: arguments of its constructor, or of `from_parameters`.

        None if its parameters were given, and not by `from_parameters`.
        """
        if self.was_fitted:
            parameters = self.classifier.get_params(deep=False)
            return {key: value for key, value in parameters.items() if key != "n_jobs"}
        if self.other_families or len(self.model.components) > 1:
            return None
        names = ("priors", "means", "covariances", "classes")
        return {name: getattr(self.classifier, f"{name}_") for name in names}


def called(family: Any) -> str:
    """The name of a family in a sentence; those called after people begin with a capital."""
    name: str = family.name
    return name.capitalize() if name in {"gaussian", "poisson", "bernoulli"} else name


def _value(value: Any) -> str:
    """A value of a feature with every digit."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "missing"
    return repr(value) if isinstance(value, float) else str(value)
