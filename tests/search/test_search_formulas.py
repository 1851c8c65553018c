"""Every formula of the search against a version of its own, written from the paper, on random inputs."""

import math

import numpy as np
import pytest
from fake_evaluators import HashEvaluator
from hypothesis import given
from hypothesis import strategies as st

from tengen import SearchParams, load, search
from tengen._core import formulas

CLOSE = 2e-6  # the search computes in float32


def uniform(lowest: float, highest: float) -> st.SearchStrategy[float]:
    return st.floats(lowest, highest, width=32)


def random_cases(count: int, seed: int) -> list[np.random.Generator]:
    return [np.random.default_rng([seed, i]) for i in range(count)]


@given(uniform(0.0, 5.0), uniform(1.0, 20000.0), st.integers(0, 10**6))
def test_puct_factor_grows_with_the_logarithm_of_the_visits(c_puct: float, base: float, visits: int) -> None:
    expected = c_puct + math.log((1 + visits + base) / base)
    assert formulas.puct_factor(c_puct, base, visits) == pytest.approx(expected, rel=1e-5, abs=1e-4)
    assert formulas.puct_factor(c_puct, 0.0, visits) == c_puct


@given(uniform(0.0, 5.0), uniform(0.0, 1.0), st.integers(0, 10**6), st.integers(0, 10**6))
def test_puct_bonus(c: float, prior: float, total: int, visits: int) -> None:
    expected = c * prior * math.sqrt(total) / (1 + visits)
    assert formulas.puct_bonus(c, prior, math.sqrt(total), visits) == pytest.approx(expected, rel=1e-5, abs=1e-30)


@given(uniform(0.0, 3.0), st.integers(1, 10**6), st.integers(1, 10**6))
def test_uct_bonus(c: float, total: int, visits: int) -> None:
    expected = c * math.sqrt(math.log(total) / visits)
    assert formulas.uct_bonus(c, math.sqrt(math.log(total)), visits) == pytest.approx(expected, rel=1e-5, abs=CLOSE)


@given(uniform(-1.0, 1.0), uniform(0.0, 1.0), uniform(0.0, 1.0))
def test_first_play_urgency_falls_with_the_prior_that_was_visited(q: float, reduction: float, seen: float) -> None:
    assert formulas.unvisited_q(q, reduction, seen) == pytest.approx(q - reduction * math.sqrt(seen), abs=CLOSE)


@given(uniform(0.0, 10.0), uniform(0.0, 1.0), st.integers(0, 10**6))
def test_forced_visits(k: float, prior: float, total: int) -> None:
    assert formulas.forced_visits(k, prior, total) == pytest.approx(math.sqrt(k * prior * total), rel=1e-5)


@given(uniform(-1.0, 1.0), uniform(0.0, 100.0), uniform(0.0, 2.0), st.integers(0, 10**6))
def test_sigma(q: float, c_visit: float, c_scale: float, most_visits: int) -> None:
    expected = (c_visit + most_visits) * c_scale * q
    assert formulas.gumbel_sigma(q, c_visit, c_scale, most_visits) == pytest.approx(expected, rel=1e-5, abs=1e-30)


def test_mixed_value() -> None:
    for rng in random_cases(200, seed=1):
        count = int(rng.integers(1, 20))
        value, q = rng.uniform(-1, 1), rng.uniform(-1, 1, count)
        prior = rng.dirichlet(np.ones(count))
        visits = rng.integers(0, 5, count)
        seen = visits > 0
        # Danihelka et al. 2022, equation 33
        weighted = (prior[seen] * q[seen]).sum() / prior[seen].sum() if seen.any() else 0.0
        expected = (value + visits.sum() * weighted) / (1 + visits.sum())
        found = formulas.mixed_value(value, visits.sum(), prior[seen].sum(), (prior[seen] * q[seen]).sum())
        assert found == pytest.approx(expected, abs=CLOSE)


def sequential_halving(considered: int, simulations: int) -> list[int]:
    """Karnin et al. 2013, as Gumbel AlphaZero uses it: equal visits per phase, then the better half goes on."""
    phases = math.ceil(math.log2(considered)) if considered > 1 else 1
    visits = [0] * considered
    order: list[int] = []
    while len(order) < simulations:
        for _ in range(max(1, simulations // (phases * len(visits))) if considered > 1 else 1):
            order += visits
            visits = [n + 1 for n in visits]
        visits = visits[: max(min(2, considered), len(visits) // 2)]
    return order[:simulations]


@given(st.integers(1, 64), st.integers(0, 600))
def test_sequential_halving(considered: int, simulations: int) -> None:
    assert formulas.halving_schedule(considered, simulations) == sequential_halving(considered, simulations)


def test_sequential_halving_of_the_paper() -> None:
    """16 actions and 200 simulations: 4 phases of about 50 visits (Danihelka et al. 2022, figure 1, has 12 each)."""
    schedule = formulas.halving_schedule(16, 200)
    assert [schedule.count(n) for n in (0, 2, 3, 8, 9, 20)] == [16, 16, 8, 8, 4, 4]


@given(st.floats(-87.0, 88.0, width=32))
def test_fast_exp(x: float) -> None:
    assert formulas.fast_exp(x) == pytest.approx(math.exp(x), rel=3e-7)


@given(st.floats(width=32, allow_nan=False))
def test_fast_exp_stays_finite(x: float) -> None:
    assert 0.0 < formulas.fast_exp(x) < math.inf


@given(st.lists(uniform(-80.0, 80.0), min_size=1, max_size=400))
def test_softmax(logits: list[float]) -> None:
    weights = np.exp(np.array(logits) - max(logits))
    np.testing.assert_allclose(formulas.softmax(logits), weights / weights.sum(), rtol=5e-6, atol=1e-30)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30).filter(any), uniform(0.0625, 5.0))
def test_temperature(visits: list[int], tau: float) -> None:
    shares = (np.array(visits) / max(visits)) ** (1 / tau)
    np.testing.assert_allclose(formulas.apply_temperature(visits, tau), shares / shares.sum(), rtol=1e-9)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30).filter(any))
def test_temperature_zero_takes_the_first_of_the_most_visited(visits: list[int]) -> None:
    assert formulas.apply_temperature(visits, 0.0) == [float(i == np.argmax(visits)) for i in range(len(visits))]
    np.testing.assert_allclose(formulas.apply_temperature(visits, 1.0), np.array(visits) / sum(visits))


@pytest.mark.parametrize(("alpha", "count"), [(0.03, 40), (0.3, 7), (1.0, 5), (1.55, 7), (10.0, 3)])
def test_dirichlet_has_its_mean_variance_and_covariance(alpha: float, count: int) -> None:
    draws = np.array([formulas.random_dirichlet(seed, alpha, count) for seed in range(20000)])  # [draws, count]
    total = alpha * count
    variance = (1 / count) * (1 - 1 / count) / (total + 1)
    error = 6 / math.sqrt(len(draws))
    np.testing.assert_allclose(draws.sum(axis=1), 1.0, atol=1e-5)
    np.testing.assert_allclose(draws.mean(axis=0), 1 / count, atol=error * math.sqrt(variance))
    np.testing.assert_allclose(draws.var(axis=0), variance, rtol=0.25)
    covariance = np.cov(draws[:, 0], draws[:, 1])[0, 1]
    assert covariance == pytest.approx(-(1 / count**2) / (total + 1), abs=error * variance)


def test_dirichlet_mix() -> None:
    for rng in random_cases(100, seed=2):
        count = int(rng.integers(1, 50))
        prior, noise = rng.dirichlet(np.ones(count)), rng.dirichlet(np.full(count, 0.3))
        eps = rng.uniform()
        mixed = formulas.mix_noise(prior.tolist(), noise.tolist(), eps)
        np.testing.assert_allclose(mixed, (1 - eps) * prior + eps * noise, atol=CLOSE)


def pruned_target(visits: list[int], q: list[float], prior: list[float], c: float, k: float) -> list[float]:
    """KataGo (Wu 2019), 3.2: forced visits are taken back while PUCT stays below that of the most visited child."""
    total = sum(visits)

    def puct(i: int, n: float) -> float:
        return q[i] + c * prior[i] * math.sqrt(total) / (1 + n)

    best = visits.index(max(visits))
    kept = [float(n) for n in visits]
    for i in set(range(len(visits))) - {best}:
        most = min(int(math.sqrt(k * prior[i] * total)), visits[i])
        taken = 0
        while taken < most and puct(i, visits[i] - taken - 1) < puct(best, visits[best]):
            taken += 1
        kept[i] = float(visits[i] - taken) if visits[i] - taken > 1 else 0.0
    return kept


def test_target_pruning() -> None:
    changed = 0
    for rng in random_cases(500, seed=3):
        count = int(rng.integers(1, 20))
        visits = rng.integers(0, 60, count).tolist()
        visits[int(rng.integers(count))] += 1
        q, prior = rng.uniform(-1, 1, count).tolist(), rng.dirichlet(np.ones(count)).tolist()
        c, k = rng.uniform(0.5, 3), rng.choice([0.0, 2.0, 5.0])
        expected = pruned_target(visits, q, prior, c, k)
        assert formulas.prune_forced(visits, q, prior, c, k) == expected
        changed += expected != visits
    assert changed > 200


def test_gumbel_target_is_the_softmax_of_the_completed_values() -> None:
    """pi' = softmax(logits + sigma(completed q)), rescaled to [0, 1] as in mctx, read off a whole search."""
    game = load("connect_four")
    params = SearchParams(selection="gumbel", simulations=40, gumbel_considered=4, solve=False)
    result = search(game, [game.initial_state()], HashEvaluator(game), params)[0]
    seen = result.visits > 0
    assert 0 < seen.sum() < len(seen)
    prior, q, n = result.prior.astype(float), result.q.astype(float), result.visits
    v_mix = (result.network_value + n.sum() * (prior[seen] @ q[seen]) / prior[seen].sum()) / (1 + n.sum())
    completed = np.where(seen, q, v_mix)
    scaled = (completed - completed.min()) / (completed.max() - completed.min())
    weights = prior * np.exp((params.gumbel_c_visit + n.max()) * params.gumbel_c_scale * scaled)
    np.testing.assert_allclose(result.policy_target, weights / weights.sum(), rtol=2e-5)
