"""A fit is a good citizen: interruptible, silent by default, deterministic, and it leaves nothing behind."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import joblib
import numpy as np
import pytest
from conftest import sparse_pair
from sklearn.exceptions import ConvergenceWarning

from lcca import CCA
from lcca._settings import threads

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

LONG = {"method": "g-cca", "t1": 100_000, "t2": 50}

INTERRUPTED = """
import sys
sys.path.insert(0, sys.argv[1])
from conftest import sparse_pair
from lcca import CCA
views = sparse_pair(20_000, 2_000, 2_000)
calls = []
def callback(row):
    if not calls:
        print("running", flush=True)
    calls.append(row)
try:
    CCA(5, method="g-cca", t1=100_000, t2=50, callback=callback).fit(*views)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def interrupt(script, seconds):
    words = [sys.executable, "-c", script, os.path.dirname(__file__)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().strip() == "running", process.stderr.read()
        process.send_signal(signal.SIGINT)
        said, complaint = process.communicate(timeout=seconds)
    assert (said.strip(), process.returncode) == ("interrupted", 0), complaint


def test_ctrl_c_stops_a_fit_that_would_take_hours():
    interrupt(INTERRUPTED, 60)


PASS = """
import sys, threading
sys.path.insert(0, sys.argv[1])
import numpy as np
from lcca import CCA
random = np.random.default_rng(0)
x, y = random.random((20_000, 1_500)), random.random((20_000, 1_500))
threading.Timer(1.0, lambda: print("running", flush=True)).start()
try:
    CCA(5, method="exact", n_jobs=1).fit(x, y)
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_does_not_wait_for_a_long_pass():
    interrupt(PASS, 60)


def test_other_threads_run_meanwhile():
    views = sparse_pair(20_000, 2_000, 2_000)
    ticks, over = [0], threading.Event()

    def tick():
        while not over.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CCA(5, method="g-cca", t1=20, t2=20).fit(*views)
    seen = ticks[0]
    over.set()
    thread.join()
    # If the fit kept the interpreter's lock, the other thread would have run before and after it only.
    assert seen > 20 * model.fit_seconds_


def test_a_callback_sees_the_trace(words):
    rows = []
    model = CCA(3, method="lobpcg", callback=rows.append).fit(*words)
    assert rows == model.trace_ and [row["iteration"] for row in rows] == list(range(1, len(rows) + 1))
    assert set(rows[0]) == {"iteration", "passes", "gram_passes", "work", "total", "missing", "seconds"}
    assert rows[-1]["total"] == pytest.approx(model.total_, rel=1e-3)


def test_a_stopped_fit_goes_on_where_it_was(words, tmp_path):
    settings = {"n_components": 3, "method": "lobpcg", "structure": False, "tol": 1e-10}
    truth, state = CCA(**settings).fit(*words), tmp_path / "state"

    def stop(row):
        if row["iteration"] == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CCA(**settings, callback=stop, resume=state).fit(*words)
    assert state.exists()
    with pytest.raises(ValueError, match=r"state: belongs to another fit: ridge_x is 0.0 there and 0.5 here"):
        CCA(**settings, ridge=0.5, resume=state).fit(*words)
    rows = []
    model = CCA(**settings, callback=rows.append, resume=str(state)).fit(*words)
    assert rows[0]["iteration"] >= 4 and not state.exists()
    assert len(model.trace_) == len(truth.trace_) and model.fit_seconds_ >= model.trace_[-1]["seconds"] > 0
    np.testing.assert_allclose(model.objective_, truth.objective_, rtol=0, atol=1e-10)
    # Nothing to save, nothing to remove.
    assert CCA(3, method="exact", resume=state).fit(*words).converged_ and not state.exists()


def test_a_state_that_cannot_be_saved_costs_a_warning_and_not_the_fit(words, tmp_path):
    with pytest.warns(UserWarning, match="the state is not saved: .*nowhere"):
        model = CCA(3, method="d-cca", t1=3, tol=1.0, resume=tmp_path / "nowhere" / "state").fit(*words)
    assert model.total_ > 0


def test_what_a_callback_raises_stops_the_fit(words):
    def callback(row):
        if row["iteration"] == 2:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        CCA(3, callback=callback, **LONG).fit(*words)


@pytest.mark.parametrize("tqdm", [True, False])
def test_progress_is_shown_if_it_is_requested(words, capfd, monkeypatch, tqdm):
    if not tqdm:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr("lcca._progress._BETWEEN", 0.0)
    CCA(3, method="lobpcg").fit(*words)
    assert capfd.readouterr() == ("", "")
    CCA(3, method="lobpcg", verbose=True).fit(*words)
    out, err = capfd.readouterr()
    assert out == "" and "lcca lobpcg" in err and "captured" in err


def test_not_converging_is_a_warning_with_what_is_missing(words):
    with pytest.warns(
        ConvergenceWarning, match="did not converge to tol=1e-08.*of it may be missing; raise max_passes"
    ):
        model = CCA(3, max_passes=6, tol=1e-8, structure=False, method="lobpcg").fit(*words)
    assert model.converged_ is False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CCA(3).fit(*words).converged_


def test_fewer_pairs_than_requested_is_a_warning(factors):
    x, y = factors
    twice = np.c_[x[:, 0], x[:, 0], x[:, 0]]
    with pytest.warns(UserWarning, match="1 of the 3 requested pairs were found"):
        assert CCA(3).fit(twice, y).transform(twice).shape == (300, 1)


def test_the_same_seed_gives_the_same_bits(words):
    def weights(random_state):
        return CCA(3, method="lobpcg", random_state=random_state).fit(*words).x_weights_

    assert (weights(7) == weights(7)).all() and (weights(7) != weights(8)).any()
    for kind in (np.random.default_rng, np.random.RandomState):
        assert (weights(kind(3)) == weights(kind(3))).all()
        used = kind(3)
        assert (weights(used) != weights(used)).any()
    np.random.seed(0)
    assert (weights(None) != weights(None)).any()
    with pytest.raises(ValueError, match="random_state == -1"):
        weights(-1)


def test_jobs_are_counted_as_in_scikit_learn():
    assert threads(1) == 1 and threads(3) == 3 and threads(None) == 1
    assert threads(-1) == joblib.cpu_count() and threads(-2) == max(joblib.cpu_count() - 1, 1)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert threads(None) == 3
    with pytest.raises(ValueError, match="n_jobs"):
        threads(0)


THREADS = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
from conftest import sparse_pair
from lcca import CCA
views, count = sparse_pair(2_000, 120, 90), lambda: len(os.listdir("/proc/self/task"))
before = count()
for jobs in (1, 3):
    seen = []
    CCA(3, method="lobpcg", n_jobs=jobs, callback=lambda _: seen.append(count())).fit(*views)
    print(min(seen) - before)
    for _ in range(500):
        if count() == before:
            break
        time.sleep(0.02)
    print(count() - before)
"""


@linux
def test_threads_are_as_many_as_requested_and_end_with_the_fit():
    words = [sys.executable, "-c", THREADS, os.path.dirname(__file__)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "0", "3", "0"]


def child(views, results):
    results.put(CCA(3, method="lobpcg", n_jobs=2).fit(*views).correlations_)


@linux
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_can_fit(words):
    here = CCA(3, method="lobpcg", n_jobs=2).fit(*words).correlations_
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    process = context.Process(target=child, args=(words, results))
    process.start()
    there = results.get(timeout=60)
    process.join(timeout=60)
    assert process.exitcode == 0 and (here == there).all()


@linux
def test_many_fits_leak_nothing():
    random = np.random.default_rng(0)
    x, y = random.random((500, 40)), random.random((500, 30))

    def resident():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def fits(count):
        for _ in range(count):
            model = CCA(5, n_jobs=1).fit(x.copy(), y)
            model.transform(x)
            model.score(x, y)

    fits(50)
    before, references = resident(), [sys.getrefcount(view) for view in (x, y)]
    fits(250)
    # The copies of x alone are 40 MB.
    assert resident() - before < 8e6
    assert [sys.getrefcount(view) for view in (x, y)] == references


def test_a_stopped_fit_lets_go_of_its_arrays(words):
    x, y = words
    before = [sys.getrefcount(array) for array in (x.data, x.indices, y.data)]

    def callback(row):
        raise LookupError

    for _ in range(3):
        with pytest.raises(LookupError):
            CCA(3, callback=callback, **LONG).fit(x, y)
    gc.collect()
    assert [sys.getrefcount(array) for array in (x.data, x.indices, y.data)] == before
