"""The page about quality: who is how good, and where others are better."""

from typing import Any

import numpy as np
import pandas as pd
from quality_models import PEERS, REFERENCE
from scipy.stats import binomtest
from tables import LEFT_OUT

LEAST_LOSS = 0.01  # losses below count as this: a solved table does not rule the mean
TIE = 0.005  # relative difference of losses that is neither won nor lost
BEATEN = 0.03  # relative difference from which a table is listed as one where others win
TITLES = {
    "numbers": "Tables of numbers",
    "mixed": "Tables with categories or missing values",
    "generated": "Generated tables",
}
INTRODUCTION = f"""\
# How good the probabilities are

Five-fold cross-validation, stratified, the same folds for all models: log loss and errors of rows
held out, as `python benchmarks/quality.py` prints them. Peers get indicators for categories, means
for missing values and scaled features; ours get the table as it is. *Relative* is the geometric
mean of a model's log loss divided by that of logistic regression; losses below {LEAST_LOSS} count
as {LEAST_LOSS}. *Won-lost* counts tables where the model is better or worse by more than {TIE:.1%}
than {{best}}, with the p-value of a sign
test. A model that refuses a table gets the loss of predicting the class
frequencies. *Seconds* are processor time, of one thread, for all tables together.

Most of the public tables were looked at while the automatic choice was built: expect less on
others. It loses to trees where classes are multimodal (banana, phoneme, fgl, satimage,
disc and ring), where a rule on few features decides (monk-2, segment, Diabetes, chess, tic-tac-
toe, hayes-roth, mlc_churn), and where some values are entered wrong by a factor of ten (Hawks); and
to the model that rows were drawn from, where that was assumed by others (generated: independent,
shared, imbalanced). Where a few dozen rows tell little of the class (Baumann) it takes part of that
for chance, and is nearer to the class frequencies than it could be."""


def page(results: list[dict[str, Any]], own: list[str], truths: dict[str, float]) -> str:
    """The whole page; the last of our models is the one that others are compared with."""
    frame = pd.DataFrame(results)
    best = own[-1] if own else REFERENCE
    parts = [INTRODUCTION.format(best=f"`{best}`" if own else best)]
    for kind, title in TITLES.items():
        some = frame[frame["kind"] == kind]
        if some.empty:
            continue
        losses = some.pivot_table(index="table", columns="model", values="log_loss", sort=False)
        models = [name for name in (*own, *PEERS) if name in losses]
        losses = losses[models]
        parts += [f"## {title}", _summary(some, losses, best)]
        if own:
            parts.append(
                _beaten(losses[[name for name in models if name in PEERS or name == best]], best)
            )
        if kind == "generated":
            losses.insert(0, "best possible", [truths[name] for name in losses.index])
        parts += ["### Log loss of every table", _listed(losses)]
    parts += ["## Tables that are left out", *_left_out()]
    return "\n\n".join(parts) + "\n"


def _summary(some: pd.DataFrame, losses: pd.DataFrame, best: str) -> str:
    relative = np.exp(
        np.log(losses.clip(lower=LEAST_LOSS))
        .sub(np.log(losses[REFERENCE].clip(lower=LEAST_LOSS)), axis=0)
        .mean()
    )
    errors = some.pivot_table(index="table", columns="model", values="error")
    ranks = losses.rank(axis=1).mean()
    error_ranks = errors[losses.columns].rank(axis=1).mean()
    seconds = some.groupby("model")["seconds"].sum()
    refused = (some["refused"] != "").groupby(some["model"]).sum()
    rows = [
        [
            _code(model),
            f"{relative[model]:.3f}",
            f"{ranks[model]:.2f}",
            f"{100 * errors[model].mean():.1f} %",
            f"{error_ranks[model]:.2f}",
            _won_lost(losses[model], losses[best]) if model != best else "",
            str(refused[model]),
            f"{seconds[model]:.0f}",
        ]
        for model in relative.sort_values().index
    ]
    head = [
        "",
        "relative",
        "mean rank",
        "errors",
        "mean rank, errors",
        "won-lost",
        "refused",
        "seconds",
    ]
    many = f"{len(losses)} tables" if len(losses) > 1 else "One table"
    return f"{many}.\n\n{_table(head, rows)}"


def _won_lost(losses: pd.Series, others: pd.Series) -> str:
    ratio = losses.clip(lower=LEAST_LOSS) / others.clip(lower=LEAST_LOSS)
    won, lost = int((ratio < 1 - TIE).sum()), int((ratio > 1 + TIE).sum())
    p = binomtest(won, won + lost).pvalue if won + lost else 1.0
    return f"{won}-{lost} (p {'< .001' if p < 0.001 else f'= {p:.3f}'})"


def _beaten(losses: pd.DataFrame, best: str) -> str:
    peers = losses.drop(columns=best)
    ratio = (
        losses[best].clip(lower=LEAST_LOSS) / peers.min(axis=1).clip(lower=LEAST_LOSS)
    ).sort_values(ascending=False)
    rows = [
        [
            table,
            f"{losses[best][table]:.4f}",
            peers.loc[table].idxmin(),
            f"{peers.loc[table].min():.4f}",
            f"{ratio[table]:.2f}",
        ]
        for table in ratio.index[ratio > 1 + BEATEN]
    ]
    text = f"### Where others win\n\nThe best peer beats {_code(best)} by more than {BEATEN:.0%} "
    if not rows:
        return text + "on no table."
    return (
        text
        + f"on {len(rows)} of {len(losses)}:\n\n"
        + _table(["", _code(best), "best peer", "its log loss", "ratio"], rows)
    )


def _listed(losses: pd.DataFrame) -> str:
    rows = []
    for table, row in losses.iterrows():
        least = row.drop("best possible", errors="ignore").min()
        rows.append([str(table), *(f"**{v:.4f}**" if v == least else f"{v:.4f}" for v in row)])
    return _table(["", *map(_code, losses.columns)], rows)


def _left_out() -> list[str]:
    return ["\n".join(f"- {name}: {reason}" for name, reason in LEFT_OUT.items())]


def _code(model: str) -> str:
    return f"`{model}`" if "(" in model or "=" in model else model


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
