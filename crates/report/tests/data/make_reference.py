"""Makes reference.json: what other programs compute for the cases that tests/reference.rs checks.

Needs numpy, scipy, statsmodels, scikit-learn and krippendorff; their versions are written beside the numbers.
"""

import importlib.metadata
import json
import math
import pathlib

import krippendorff
import numpy
import scipy
import scipy.stats
import sklearn
import statsmodels
import statsmodels.api as sm
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

generator = numpy.random.default_rng(20261115)

COUNTS = [(0, 1), (1, 1), (0, 10), (10, 10), (3, 10), (7, 20), (81, 263), (199, 200), (9500, 10000), (1, 29)]


def proportions(method):
    return [
        {"hits": k, "n": n, "level": level, "low": float(low), "high": float(high)}
        for k, n in COUNTS
        for level in (0.90, 0.95, 0.99)
        for low, high in [proportion_confint(k, n, alpha=1 - level, method=method)]
    ]


def distributions():
    tails = [1e-10, 1e-4, 0.005, 0.025, 0.2, 0.4999, 0.5, 0.6, 0.9, 0.975, 0.999]
    degrees = [1.0, 1.7, 3.0, 7.3, 13.0, 40.0, 1000.0]
    shapes = [(0.5, 0.5), (1.0, 9.0), (3.0, 8.0), (80.0, 120.0), (9500.0, 501.0)]
    return {
        "normal": [{"p": p, "x": float(scipy.stats.norm.ppf(p))} for p in tails],
        "student": [{"p": p, "df": df, "x": float(scipy.stats.t.ppf(p, df))} for p in tails for df in degrees],
        "beta": [
            {"p": p, "a": a, "b": b, "x": float(scipy.stats.beta.ppf(p, a, b))} for p in tails for a, b in shapes
        ],
    }


def mcnemars():
    def mid(b, c):
        few, n = min(b, c), b + c
        return min(1.0, float(2 * scipy.stats.binom.cdf(few, n, 0.5) - scipy.stats.binom.pmf(few, n, 0.5)))

    return [
        {"first": b, "second": c, "exact": float(mcnemar([[50, b], [c, 40]], exact=True).pvalue), "mid": mid(b, c)}
        for b, c in [(1, 0), (6, 0), (5, 5), (12, 3), (59, 16), (121, 59), (86, 150), (700, 620)]
    ]


def adjusted():
    lists = [
        [0.01, 0.04, 0.03, 0.005],
        [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
         0.7590, 1.0],
        [0.5],
        [0.02, 0.02, 0.9, 0.02],
    ]
    return [
        {
            "p": p,
            "holm": [float(x) for x in multipletests(p, method="holm")[1]],
            "benjamini_hochberg": [float(x) for x in multipletests(p, method="fdr_bh")[1]],
        }
        for p in lists
    ]


def passes():
    def at_k(n, c, k):
        """The estimator as printed in Chen et al. 2021, figure 3."""
        if n - c < k:
            return 1.0
        return float(1.0 - numpy.prod(1.0 - k / numpy.arange(n - c + 1, n + 1)))

    cases = [(1, 0, 1), (1, 1, 1), (5, 2, 1), (5, 2, 3), (5, 4, 5), (10, 3, 2), (200, 37, 10), (200, 1, 100), (8, 8, 8)]
    return [
        {"n": n, "hits": c, "k": k, "at": at_k(n, c, k), "all": math.comb(c, k) / math.comb(n, k)} for n, c, k in cases
    ]


def robust(sizes, binary):
    names = [f"c{at:02}" for at, size in enumerate(sizes) for _ in range(size)]
    shift = numpy.repeat(generator.normal(size=len(sizes)), sizes)
    values = shift + generator.normal(size=sum(sizes))
    if binary:
        values = (values > 0.3).astype(float)
    groups = numpy.repeat(numpy.arange(len(sizes)), sizes)
    fit = sm.OLS(values, numpy.ones(len(values)))
    plain = fit.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    scaled = fit.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": True})
    variance, degrees = bias_reduced(values, groups)
    return {
        "clusters": names,
        "values": values.tolist(),
        "mean": float(plain.params[0]),
        "cr0": float(plain.cov_params()[0, 0]),
        "cr1": float(scaled.cov_params()[0, 0]),
        "cr2": variance,
        "satterthwaite": degrees,
    }


def bias_reduced(values, groups):
    """CR2 and its degrees of freedom from the matrices of Pustejovsky and Tipton 2018, sections 2.1 and 3.1."""
    n = len(values)
    design = numpy.ones((n, 1))
    bread = numpy.linalg.inv(design.T @ design)
    residual_maker = numpy.eye(n) - design @ bread @ design.T
    residuals = residual_maker @ values
    variance, columns = 0.0, []
    for group in numpy.unique(groups):
        own = groups == group
        eigenvalues, vectors = numpy.linalg.eigh(residual_maker[numpy.ix_(own, own)])
        root = vectors @ numpy.diag(eigenvalues**-0.5) @ vectors.T
        weights = root @ design[own] @ bread
        variance += float((weights[:, 0] @ residuals[own]) ** 2)
        columns.append(residual_maker[:, own] @ weights[:, 0])
    gram = numpy.array(columns) @ numpy.array(columns).T
    return variance, float(numpy.trace(gram) ** 2 / numpy.trace(gram @ gram))


def bca(values, statistic, seed):
    values = numpy.array(values)
    found = scipy.stats.bootstrap(
        (values,), statistic, n_resamples=499, method="BCa", rng=numpy.random.default_rng(seed), vectorized=True
    )
    without = [float(statistic(numpy.delete(values, at), axis=-1)) for at in range(len(values))]
    return {
        "point": float(statistic(values, axis=-1)),
        "jackknife": without,
        "resampled": [float(x) for x in found.bootstrap_distribution],
        "low": float(found.confidence_interval.low),
        "high": float(found.confidence_interval.high),
    }


def kappas():
    grades = [
        ([0, 1, 2, 2, 1, 0, 0, 2, 1, 1, 2, 0], [0, 1, 2, 1, 1, 0, 1, 2, 2, 1, 2, 0]),
        ([1, 1, 1, 2, 2, 3, 4, 4, 5, 5, 3, 2, 1, 5], [1, 2, 1, 2, 3, 3, 4, 5, 5, 4, 1, 2, 2, 5]),
    ]
    # Two raters, 50 proposals: 20 both yes, 5 only A, 10 only B, 15 both no.
    grades.append(([1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15))
    score = lambda one, other, weights: float(cohen_kappa_score(one, other, weights=weights))
    return [
        {"one": a, "other": b, "none": score(a, b, None), "linear": score(a, b, "linear"),
         "quadratic": score(a, b, "quadratic")}
        for a, b in grades
    ]


def alphas():
    # Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units.
    n = None
    published = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, n, n, n],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, n, 3],
        [n, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, n],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, n],
    ]
    drawn = [[float(x) if x < 5 else None for x in generator.integers(0, 6, size=20)] for _ in range(3)]
    tables = [published, drawn]

    def alpha(table, level):
        data = numpy.array([[numpy.nan if x is None else x for x in row] for row in table], dtype=float)
        return float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))

    return [
        {"raters": table, **{level: alpha(table, level) for level in ("nominal", "ordinal", "interval")}}
        for table in tables
    ]


reference = {
    "source": {
        "made_by": "make_reference.py",
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "statsmodels": statsmodels.__version__,
        "scikit-learn": sklearn.__version__,
        "krippendorff": importlib.metadata.version("krippendorff"),
    },
    "wilson": proportions("wilson"),
    "clopper_pearson": proportions("beta"),
    "distributions": distributions(),
    "mcnemar": mcnemars(),
    "adjusted": adjusted(),
    "passes": passes(),
    "robust": [
        robust([5] * 8, False),
        robust([1, 2, 3, 5, 8, 13, 21], False),
        robust([5, 5, 5, 10, 10, 15, 20, 30], True),
        robust([1] * 12, False),
    ],
    "bca": [
        bca([2.1, 3.4, 1.9, 8.8, 4.0, 2.7, 3.3, 5.9, 1.2, 6.6], numpy.mean, 1),
        bca([0.0, 1.0, 1.0, 0.2, 0.9, 0.8, 1.0, 0.1, 0.6, 1.0, 0.4, 1.0], numpy.mean, 2),
        bca([1.0, 1.5, 2.5, 20.0, 3.0, 4.5, 9.0, 2.0], numpy.std, 3),
    ],
    "kappa": kappas(),
    "alpha": alphas(),
}

path = pathlib.Path(__file__).with_name("reference.json")
path.write_text(json.dumps(reference, indent=1, sort_keys=True) + "\n")
