// How the search ranks results: Sphinx's scores, and a guide page before a lecture with the same words.
var Scorer = {
  score: ([page, , , , score]) => score + (/^(guide\/|[\w-]+$)/.test(page) ? 6 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
