"""Makes kappa.json: what scikit-learn and statsmodels compute for the cases that tests/kappa.rs checks.

Fleiss' interval is in neither: it is computed here by the formula of Gwet (2008), written out with numpy.
"""

import importlib.metadata
import json
import pathlib

import numpy
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

generator = numpy.random.default_rng(20261116)


def cohen(items, grades, agreeing):
    one = generator.integers(0, grades, items)
    other = numpy.where(generator.random(items) < agreeing, one, generator.integers(0, grades, items))
    table = numpy.zeros((grades, grades))
    for first, second in zip(one, other):
        table[first, second] += 1
    used = sorted(set(one) | set(other))
    table = table[numpy.ix_(used, used)]
    result = cohens_kappa(table, return_results=True)
    return {
        "one": one.tolist(),
        "other": other.tolist(),
        "kappa": float(cohen_kappa_score(one, other)),
        "error": float(numpy.sqrt(result.var_kappa)),
        "low": float(result.kappa_low),
        "high": float(result.kappa_upp),
    }


def fleiss(items, graders, grades, agreeing):
    truth = generator.integers(0, grades, items)
    noise = generator.integers(0, grades, (items, graders))
    ratings = numpy.where(generator.random((items, graders)) < agreeing, truth[:, None], noise)
    table, _ = aggregate_raters(ratings)
    kappa = float(fleiss_kappa(table, method="fleiss"))
    shares = table.sum(0) / table.sum()
    chance = (shares**2).sum()
    agreed = (table * (table - 1)).sum(1) / (graders * (graders - 1))
    adds = (agreed - chance) / (1 - chance) - 2 * (1 - kappa) * ((table / graders * shares).sum(1) - chance) / (1 - chance)
    error = float(numpy.sqrt(((adds - kappa) ** 2).sum() / (items * (items - 1))))
    return {"ratings": ratings.tolist(), "kappa": kappa, "error": error}


packages = ("numpy", "scikit-learn", "statsmodels")
reference = {
    "made_with": {name: importlib.metadata.version(name) for name in packages},
    "cohen": [cohen(*case) for case in [(10, 2, 0.8), (40, 3, 0.5), (120, 5, 0.9), (60, 2, 0.1), (25, 4, 0.97)]],
    "fleiss": [fleiss(*case) for case in [(12, 3, 2, 0.8), (40, 4, 3, 0.5), (120, 3, 5, 0.9), (30, 6, 2, 0.2)]],
}
pathlib.Path(__file__).with_name("kappa.json").write_text(json.dumps(reference) + "\n")
