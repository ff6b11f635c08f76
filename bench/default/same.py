"""The same answer from one thread and two, and the same bytes from the same command."""
from . import row
from .pairs import FLAGS
from .program import SCRATCH, fit

TOLERANCE = 1e-9  # sums over rows are added up in another order, so the last digits may differ


def threads(data, quick):
    one, two = (fit(data, f"{FLAGS[data]} --threads {n}") for n in (1, 2))
    apart = abs(one["total"] - two["total"]) / two["total"]
    yield row.judged(
        two, f"total as with one thread, within {TOLERANCE:g}", f"{two['total']:.12g}, {apart:.1e} apart",
        apart <= TOLERANCE,
    )


def twice(data, quick):
    models = [SCRATCH / f"twice-{n}" / "model" for n in (1, 2)]
    for model in models:
        model.parent.mkdir(exist_ok=True)
        run = fit(data, FLAGS[data], output=model)
    same = models[0].read_bytes() == models[1].read_bytes()
    size = models[0].stat().st_size / 1e6
    yield row.judged(
        run, "the same model twice, byte for byte",
        f"{'the same' if same else '**different**'}, {size:.1f} MB", same,
    )
