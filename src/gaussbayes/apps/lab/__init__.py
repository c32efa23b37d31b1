"""The lab: a page on this machine where Gaussians can be taken by the hand.

``gaussbayes lab`` starts a server on the loopback address and opens the page in a browser. The page
draws; every probability it shows is calculated here, by the rest of the package.

::

    browser ──► guard ──► app ──┬─► static files
                                ├─► upload ──┐
                                └─► session ─┴─► bench: one thread ──► desk: messages, work
                                       ▲                                        │
                                       └──────────── frames ◄───────────────────┘

- `serving` finds a port, makes the token, opens the browser and stops at Ctrl-C;
- `guard` lets nothing in that does not come from the page itself;
- `app` has the routes;
- `session` talks with one page: the latest request of a kind wins;
- `frames` puts an answer into bytes, `texts` into JSON;
- `given` reads the rows that the command line names;
- `desk` is all that the server asks of the rest: reading messages, answering them.

Starlette, uvicorn and plotly come with the extra ``lab``; `serving` and `app` alone import them.
"""
