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
    "other": "Other tables of 4,000 rows and more",
    "generated": "Generated tables",
}
MANY_ROWS = 4000
SHOWN = (REFERENCE, "gradient boosting", "random forest")
INTRODUCTION = f"""\
# How good the probabilities are

`python benchmarks/quality.py` computes these figures: log loss and error rate in stratified
five-fold cross-validation, with the same folds for all models. The peers get indicators for
categories, means for missing values and scaled features; ours get the unchanged table. Tables have
at most 10,000 rows.

- *Relative* is the geometric mean, over tables, of a model's log loss divided by that of logistic
  regression. Losses below {LEAST_LOSS} count as {LEAST_LOSS}.
- *Won-lost* counts the tables on which the model is better or worse than {{best}} by more than
  {TIE:.1%}, with the p-value of a sign test.
- A model that refuses a table gets the loss of the class frequencies.
- *Seconds* are processor time, of one thread, for all tables together.

We looked at most of the tables of the first two sections while we built the automatic model, so
expect less on others. The *other* tables were chosen by size and by having a natural class; no rule
was changed for them."""


def page(results: list[dict[str, Any]], own: list[str], truths: dict[str, float]) -> str:
    """The whole page; the last of our models is the one that others are compared with."""
    frame = pd.DataFrame(results)
    best = own[-1] if own else REFERENCE
    parts = [INTRODUCTION.format(best=f"`{best}`" if own else best), _by_size(frame, best)]
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


def _by_size(frame: pd.DataFrame, best: str) -> str:
    """Log losses of the best of our models relative to peers, for small and for large tables."""
    public = frame[frame["kind"] != "generated"]
    rows = []
    for title, some in (
        (f"fewer than {MANY_ROWS:,} rows", public[public["rows"] < MANY_ROWS]),
        (f"{MANY_ROWS:,} rows and more", public[public["rows"] >= MANY_ROWS]),
        ("of these, other tables", public[public["kind"] == "other"]),
    ):
        losses = some.pivot_table(index="table", columns="model", values="log_loss")
        cells = [_ratio(losses[best], losses[peer]) for peer in SHOWN if peer in losses]
        rows.append([title, str(len(losses)), *cells])
    text = (
        f"Log loss of {_code(best)} divided by that of its peers: geometric mean, ± standard error"
    )
    return f"## Small and large tables\n\n{text}.\n\n" + _table(["", "tables", *SHOWN], rows)


def _ratio(losses: pd.Series, others: pd.Series) -> str:
    """The geometric mean of ratios of losses, and its standard error over tables."""
    ratios = np.log(losses.clip(lower=LEAST_LOSS) / others.clip(lower=LEAST_LOSS)).dropna()
    if not len(ratios):
        return ""
    mean = float(np.exp(ratios.mean()))
    return f"{mean:.3f} ± {mean * ratios.std(ddof=1) / np.sqrt(len(ratios)):.3f}"


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
