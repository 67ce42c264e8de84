"""What pictures of a page share: one colour for a name, and a line at 0 where values are negative."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from xml.etree import ElementTree

from mqstat.assemble.page_model import Page, Picture, Series
from mqstat.render.html.charts import chart_data, line_looks, picture_svg, stroke
from mqstat.render.html.figures import picture_groups
from tests.test_pictures import grid, picture


def breached(series: Mapping[str, Sequence[float | None]], **changes: object) -> Picture:
    """A picture whose first line is in breach in its first step, so that the page draws it."""
    lines = tuple(
        Series(name, tuple(values), frozenset({0} if number == 0 else ()))
        for number, (name, values) in enumerate(series.items())
    )
    return replace(picture(series, limits=(), **changes), series=lines)


def colours(svg: str) -> dict[str, str]:
    """The colour of each name in a legend: the name is written right of its sample."""
    drawn = ElementTree.fromstring(svg)  # noqa: S314 - made by us
    samples = {}
    for path in drawn.iter("{http://www.w3.org/2000/svg}path"):
        if match := re.fullmatch(r"M(-?[\d.]+),(-?[\d.]+)H(-?[\d.]+)", path.get("d") or ""):
            samples[round(float(match[3]) + 5), round(float(match[2]))] = path.get("stroke") or ""
    return {
        text.text or "": samples[at]
        for text in drawn.iter("{http://www.w3.org/2000/svg}text")
        if (at := (round(float(text.get("x") or 0)), round(float(text.get("y") or 0) - 3.74))) in samples
    }


def test_a_name_has_one_colour_in_all_pictures_of_a_page() -> None:
    values = [50.0, 40.0, 60.0, 50.0]
    several = (
        breached({"pool 3": values, "pool 1": values}, qmgr="MQ01"),
        breached({"pool 0": values, "pool 3": values, "pool 2": values}, qmgr="MQ02"),
        breached({"pool 1": values, "pool 0": values, "pool 2": values}, qmgr="MQ03"),
    )
    page = Page(grid(4, 3600), (), {}, several, {}, (), ())
    areas, _ = picture_groups(page, False)
    drawn = [colours(str(one["svg"])) for one in areas[0]["sets"][0]["figures"]]
    assert [set(names) - {"in breach"} for names in drawn] == [
        {"pool 3", "pool 1"},
        {"pool 0", "pool 3", "pool 2"},
        {"pool 1", "pool 0", "pool 2"},
    ]
    for name in ("pool 0", "pool 1", "pool 2", "pool 3"):
        assert len({names[name] for names in drawn if name in names}) == 1, name
    for names in drawn:
        assert len(set(names.values())) == len(names)


def test_lines_of_one_picture_differ_and_a_page_of_many_names_has_looks_for_all() -> None:
    numbers = [[(first + 7 * n) % 40 for n in range(8)] for first in range(40)]
    made = [picture({f"page set {n}": [50.0] for n in own}) for own in numbers]
    looks = line_looks(made)
    for own in numbers:
        assert len({str(stroke(looks[f"page set {n}"])) for n in own}) == 8
    assert line_looks(made[::-1]) == looks  # whatever their order
    assert sorted(line_looks(made[:1]).values()) == list(range(8))


def test_negative_values_are_below_a_line_at_zero() -> None:
    for kind in ("line", "strip"):
        values = [4.0, -6.0, 2.0, -1.0]
        made = breached({"spare": values, "other": [1.0] * 4}, kind=kind, unit="count")
        svg, plot = picture_svg(made), chart_data(made)["plot"]
        drawn = ElementTree.fromstring(svg)  # noqa: S314 - made by us
        texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
        if kind == "strip":
            # Five levels from below the lowest value: those of -6, of -1 and of 4 differ.
            assert any((text or "").startswith("-") for text in texts)
            opacities = {path.get("stroke-opacity") for path in drawn.iter() if path.get("stroke") == "var(--series-1)"}
            assert len(opacities) >= 3
            continue
        assert {"-7.5", "0.0", "5.0"} <= set(texts)
        colour = stroke(line_looks([made])["spare"])["stroke"]
        zero = [
            re.fullmatch(rf"M0,([\d.]+)H{plot['width']}", path.get("d") or "")
            for path in drawn.iter()
            if path.get("stroke") == "var(--limit)"
        ]
        (at,) = [float(match[1]) for match in zero if match]
        line = next(path.get("d") or "" for path in drawn.iter() if path.get("stroke") == colour and path.get("stroke-width") == "1.6" and "L" in (path.get("d") or ""))  # fmt: skip
        heights = [float(y) for y in re.findall(r"[ML][\d.]+,([\d.]+)", line)]
        assert [y > at for y in heights] == [False, True, False, True]
        assert 0 < at < plot["height"]
        assert max(heights) <= plot["height"]
        assert len(set(heights)) == 4
