// How results of the search are ordered: the page of a metric or protocol that is asked for by its name comes first.
"use strict";

var Scorer = {
  score: (result) => {
    const asked = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase().replace(/[- ]/g, "_");
    const page = result[0].split("/");
    const name = page[page.length - 1].replace(/-/g, "_");
    const reference = page.length === 2 && (page[0] === "metrics" || page[0] === "protocols");
    if (reference && name === asked) return result[4] + 1000;
    if (reference && name.startsWith(asked)) return result[4] + 100 - name.length;
    return result[4];
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
