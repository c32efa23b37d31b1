"""The lab: a page on this machine where Gaussians can be taken by the hand.

``gaussbayes lab`` starts a server on the loopback address and opens the page in a browser. The page
draws; every probability it shows is calculated here, by the rest of the package.

::

    browser ──► guard ──► server ──┬─► static files
                                   ├─► upload ──► worker process ──► private folder
                                   └─► session ─► worker processes ─► work ──► answers
                                          ▲                                       │
                                          └────────────── wire_format ◄───────────┘

- `server` finds a port, makes the token, opens the browser, has the routes and stops at Ctrl-C;
  `guard` lets nothing in that does not come from the page itself;
- `session` talks with one page: the latest request of a kind wins;
- `worker_process` starts and ends processes, `work` is what they do, `backend` has their folder;
- `messages` has the types of requests, and reads a text as one of them;
- `lab_tables` reads files, `examples` has rows of its own, `store` keeps them;
- `model_views` has the models; `answers` and `exports` answer with what they say.

Starlette, uvicorn, msgspec and plotly come with the extra ``lab``. The
server imports neither NumPy nor the core: the processes do.
"""
