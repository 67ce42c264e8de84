"""Eight days of nights: outages, a day whose dump arrives late, a limit that changes, and records that are dropped."""

from __future__ import annotations

import datetime as dt

from mqstat.assemble.history import memory
from mqstat.base.card_key import anchor_of
from mqstat.dataset.store import open_dataset
from tests.installation import Installation, dump, real_fixture  # noqa: F401 - a fixture
from tests.test_daily_history import at, ended, words, written


def test_eight_days(real: Installation) -> None:
    """An outage twice, a day without data whose dump arrives late with a third outage, and a limit that changes."""
    real.configure(reports='formats = ["html"]\nbaseline_days = 0')
    for number, bad in ((1, False), (2, True), (3, False), (5, False), (6, False), (7, False), (8, True)):
        real.arrive(f"{number}.smf", dump(at(number), bad=bad))
    code, output = real.run(at(9))
    assert code == 8, output
    assert written(output) == [str(at(number)) for number in (1, 2, 3, 5, 6, 7, 8)]
    assert [words(real, number) for number in (1, 2, 3, 8)] == [(), ("new",), (), ("again after 6 days",)]
    assert (ended(real, 3), ended(real, 5)) == (["gone"], [])
    index = (real.reports / "index.html").read_text()
    assert f'href="mqstat-{at(8)}.html#{anchor_of("BP001/MQ01")}"' in index
    assert f'<tr id="d{at(4)}">' in index
    real.check()

    assert written(real.run(at(9))[1]) == []
    generation, before = open_dataset(real.dataset).manifest.generation, real.files()
    assert written(real.run(at(9), "--rebuild-history")[1]) == []
    assert open_dataset(real.dataset).manifest.generation == generation, "the same rows"
    assert real.files() == before

    real.arrive("4.smf", dump(at(4), bad=True))
    code, output = real.run(at(9))
    assert written(output) == [str(at(number)) for number in (4, 8, 7, 6, 5)], "what is after it has another history"
    assert f"{at(8)}: written again: " in output
    assert (words(real, 4), words(real, 8), ended(real, 5)) == (
        ("again after 2 days",),
        ("again after 4 days",),
        ["gone"],
    )
    assert written(real.run(at(9))[1]) == []

    (real.root / "site.toml").write_text(
        '[rules.BP001]\noff = true\nreason = "test"\nowner = "MQ team"\nuntil = 2026-05-29\n'
    )
    real.configure(reports='formats = ["html"]\nbaseline_days = 0\nsite = "site.toml"')
    real.arrive("9.smf", dump(at(9), bad=True))
    real.arrive("10.smf", dump(at(10), bad=True))
    real.run(at(11))
    assert at(9) == dt.date(2026, 5, 29)
    assert (words(real, 9), ended(real, 9)) == ((), ["limit changed"])
    assert words(real, 10) == ("limit changed",), "accepted until the day before"
    assert words(real, 10, "BP002") == ("3rd day in a row",)
    assert "expired on 2026-05-29" in (real.reports / "index.html").read_text()
    real.check()

    before_days = memory(real.dataset).days
    real.configure(dataset="keep_days = 2", reports='formats = ["html"]\nbaseline_days = 0\nsite = "site.toml"')
    real.run(at(11))
    output = real.run(at(11))[1]
    assert "dropped" in output
    assert memory(real.dataset).days == before_days, "the history outlives the records"
    real.check()
