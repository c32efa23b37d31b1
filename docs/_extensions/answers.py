"""The text of exercises: answers as people write them, choices, and code that checks a solution."""

import re
from collections.abc import Mapping
from fractions import Fraction
from html import escape

from blocks import Block

_CHOICE = re.compile(r"^- ([a-z])\) (.*(?:\n(?:  .*|\s*))*)", re.MULTILINE)


def number(text: str) -> float:
    """A number as readers write it.

    >>> number("1/4"), number("25 %"), number("0,25"), number("−2e-3")
    (0.25, 0.25, 0.25, -0.002)
    """
    written, percent, _ = text.replace("−", "-").replace(",", ".").partition("%")
    parts = [Fraction(part) for part in written.replace(" ", "").split("/")]
    value = parts[0] / parts[1] if len(parts) == 2 else parts[0]
    return float(value / 100 if percent else value)


def tolerance(answer: str) -> float:
    """Half a unit of the last digit of an answer: what rounds to it is right. Integers are exact.

    >>> tolerance("0.375"), tolerance("8.33 %"), tolerance("12"), tolerance("1/3")
    (0.0005, 5e-05, 1e-09, 0.0005)
    """
    if "/" in answer:
        return 5e-4
    digits = re.search(r"[.,](\d+)(?:e([-+]?\d+))?", answer)
    if digits is None:
        return 1e-9
    power = int(digits[2] or 0) - len(digits[1]) - 2 * ("%" in answer)
    return float(Fraction(1, 2) * Fraction(10) ** power)


def choices(body: str) -> tuple[str, dict[str, str]]:
    """The question of a choice, and the text of each letter.

    >>> choices("Which?\\n\\n- a) the first\\n- b) the second\\n")
    ('Which?', {'a': 'the first', 'b': 'the second'})
    """
    found = {letter: " ".join(text.split()) for letter, text in _CHOICE.findall(body)}
    return _CHOICE.sub("", body).strip(), found


def check(exercise: Block, not_yet: str = "Not yet.") -> str:
    """Code that fails where `answer` is not the exercise's."""
    if "choice" in exercise.options:
        right = f"answer == {exercise.options['choice']!r}"
    else:
        answer = str(exercise.options["answer"])
        allowed = float(exercise.options.get("tolerance", tolerance(answer)))
        right = f"answer is not ... and abs(answer - {number(answer):.12g}) <= {allowed:.6g}"
    return f"assert {right}, {not_yet!r}"


def form(name: str, options: Mapping[str, str]) -> str:
    """The field of a number, or only the button where there are choices; exercise.js checks it."""
    name, field = escape(name), ""
    if "choice" in options:
        data = f'data-choice="{options["choice"]}"'
    else:
        answer = options["answer"]
        allowed = float(options.get("tolerance", tolerance(answer)))
        data = f'data-answer="{number(answer)!r}" data-tolerance="{allowed!r}"'
        data += " data-percent" * ("%" in answer)
        field = (
            f'<label for="answer-{name}">Your answer</label>\n<input id="answer-{name}" type="text"'
            ' autocomplete="off" spellcheck="false" size="12" />\n'
        )
    return (
        f'<form class="exercise-form" id="form-{name}" {data}>\n{field}'
        '<button type="submit">Check</button>\n'
        '<p class="exercise-result" role="status"></p>\n</form>\n'
    )
