"""Opens report.html, compare.html and the pictures of a folder in Chromium and uses them:
browser.py CHROMIUM FOLDER"""

import csv
import io
import json
import pathlib
import shutil
import sys
import tempfile
from xml.etree import ElementTree

from playwright.sync_api import sync_playwright

CHROMIUM, FOLDER = shutil.which(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]
NASTY = "</script><b>\"&'<!--\u2028"


def shown(value, digits=4):
    return f"{value:.{digits}f}".replace("-", "\u2212")


def opened(context, trouble, name="report.html", last="#rest svg:visible"):
    page = context.new_page()
    page.on("console", lambda message: trouble.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:")) else trouble.append(request.url),
    )
    page.goto((FOLDER / name).as_uri())
    try:
        page.wait_for_selector(last, timeout=10_000)
    except Exception as late:
        raise AssertionError(f"the last picture is not visible: {trouble}") from late
    return page


def rows(page, table):
    return page.locator(f"{table} tbody tr").all_inner_texts()


def dots(page):
    return page.eval_on_selector_all(
        "#scatter path.dots", "all => all.flatMap(p => p.getAttribute('d').split('M').slice(1))"
    )


def size(width):
    """Which of its drawings a page shows at this width."""
    return "narrow" if width < 700 else "wide" if width < 1192 else "full"


def numbers_are_the_models(page, prefix=""):
    info, score = (json.loads((FOLDER / f"{prefix}{name}.json").read_text()) for name in ["info", "score"])
    titles = page.locator("#components th").all_text_contents()
    expected = {"component": range(1, info["k"] + 1), "correlation": map(shown, info["correlations"])}
    # The rows of training have the correlations of training, which are not told twice.
    if prefix:
        expected["given rows"] = map(shown, score["correlations"])
    assert ("given rows" in titles) == bool(prefix), titles
    lines = [line.locator("td").all_text_contents() for line in page.locator("#components tbody tr").all()]
    for title, values in expected.items():
        assert [line[titles.index(title)] for line in lines] == [str(value) for value in values], title
    assert f"{sum(info['correlations']):.4f}" in page.inner_text("header")


def few_rows_are_named_in_the_looks_of_their_labels(page):
    """As text beside their points, also in the picture that the script draws;
    points are as opaque as the legend."""
    for picture in ["#scores svg.full", "#biplot svg.full", "#scatter svg"]:
        names = [
            text for text in page.locator(f"{picture} text").all_text_contents() if text.startswith("place ")
        ]
        assert len(names) >= 15, (picture, names)
        looks = page.eval_on_selector_all(
            f"{picture} .mark",
            "all => all.map(m => (({fill, fillOpacity, opacity}) => [fill, fillOpacity, opacity])"
            "(getComputedStyle(m)))",
        )
        assert {tuple(look[1:]) for look in looks} == {("1", "1")}, looks
        assert {look[0] for look in looks} == set(looks_of_labels(page, "#scores")), picture
        legend = [
            text for text in page.locator(f"{picture} text").all_text_contents() if text.startswith("label ")
        ]
        assert legend == ["label 0", "label 1", "label 2"], (picture, legend)
    boxes = page.eval_on_selector_all(
        "#scatter svg text.halo",
        "all => all.map(t => t.getBBox()).map(b => [b.x, b.y + 3, b.x + b.width, b.y + b.height - 3])",
    )
    touching = [
        (a, b)
        for i, a in enumerate(boxes)
        for b in boxes[:i]
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]
    assert not touching, touching


def the_table_is_as_wide_as_the_text(page):
    """Also with all numbers that it can hold."""
    titles = page.locator("#components th").all_text_contents()
    assert {"held out", "given rows", "95% interval", "tested rows", "p adjusted", "objective"} <= set(
        titles
    ), titles
    right = [page.locator(part).bounding_box() for part in ["#components table", "#components"]]
    assert right[0]["width"] <= right[1]["width"], right


def pictures_are_drawn(page):
    drawn = page.eval_on_selector_all("figure.chart", "all => all.map(f => f.id)")
    assert drawn == [
        "correlations", "circle", "heatmap", "cim", "scores", "biplot", "scatter", "captured", "rest"
    ], drawn
    for picture in drawn:
        assert page.locator(f"#{picture} svg[aria-label]:visible").count() == 1, picture
    assert page.locator("#correlations svg.wide path title").count() == 5
    assert page.locator("#captured svg.wide path title").count() >= 1
    assert len(dots(page)) == 2000
    # Rows have three labels, and each has a color of its own in the scatter plot and in
    # the legend of the scores.
    looks = page.eval_on_selector_all("#scatter path.dots", "all => all.map(p => getComputedStyle(p).stroke)")
    assert len(set(looks)) == 3, looks
    assert looks_of_labels(page, "#scores") == looks_of_labels(page, "#biplot") and set(
        looks_of_labels(page, "#scores")
    ) == set(looks)
    assert page.locator("#scores svg.wide text", has_text="label").all_text_contents() == [
        "label 0", "label 1", "label 2"
    ]


def looks_of_labels(page, picture):
    """The color of each label in a legend."""
    return page.eval_on_selector_all(
        f"{picture} svg.wide text", """all => all.filter(t => /^label /.test(t.textContent))
            .map(t => getComputedStyle(t.previousElementSibling).fill)""")


def a_component_is_highlighted_everywhere(page):
    page.select_option("#component", "2")
    marked = page.eval_on_selector_all(".chosen", "all => all.map(e => e.closest('figure, section').id)")
    assert {"correlations", "heatmap", "circle", "scores", "biplot", "components"} <= set(marked), marked
    assert page.locator("tr.chosen a").all_inner_texts() == ["2"]
    # Pointing at a component marks it, and choosing it in a picture shows it.
    band = page.locator("#correlations svg.wide [data-component='4'] .band")
    band.hover(position={"x": 5, "y": 5})
    assert page.locator(".pointed").count() > 3
    band.click(position={"x": 5, "y": 5})
    assert page.input_value("#component") == "4"
    page.select_option("#component", "1")


def a_point_tells_its_row(page):
    for picture, shown in (("#scatter", "svg"), ("#scores", "svg.wide")):
        path = page.locator(f"{picture} {shown} path.dots").first
        x, y = path.evaluate("""p => {
            const [, x, y] = p.getAttribute('d').match(/M(\\S+) (\\S+?)h0/), svg = p.ownerSVGElement;
            const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            return [x * scale, y * scale];
        }""")
        page.locator(f"{picture} {shown}").first.hover(position={"x": x, "y": y})
        said = page.locator(f"{picture} .told").text_content()
        assert said.startswith("row ") and "label " in said, said
        page.locator("h1").hover()


def pictures_and_tables_can_be_saved(page):
    def saved(button):
        with page.expect_download() as download:
            button.click()
        return download.value.suggested_filename, pathlib.Path(download.value.path()).read_text(
            encoding="utf-8"
        )

    name, svg = saved(page.locator("#circle .download button"))
    assert name == "circle.svg"
    drawn = ElementTree.fromstring(svg)
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg" and ".picture .f0" in svg and "chosen" not in svg
    name, table = saved(page.locator("#components > .download button"))
    rows = list(csv.reader(io.StringIO(table)))
    info = json.loads((FOLDER / "info.json").read_text())
    assert name == "components.csv" and len(rows) == 1 + info["k"]
    assert [float(row[1]) for row in rows[1:]] == [round(value, 4) for value in info["correlations"]]
    listed, variables = page.locator("#component-by-component > .download button").all()
    name, table = saved(listed)
    rows = list(csv.reader(io.StringIO(table)))
    assert (
        name == "columns.csv"
        and rows[0] == ["component", "view", "column", "loading", "weight"]
        and len(rows) == 1 + 30 * info["k"]
    )
    assert NASTY in {row[2] for row in rows}
    name, table = saved(variables)
    assert name == "rows.csv" and len(list(csv.reader(io.StringIO(table)))) == 2001


def no_word_is_broken(page):
    """At 1,440 pixels a name of the table is on one line."""
    broken = page.evaluate("""[...document.querySelectorAll('#components td.names bdi')]
        .filter(e => e.getClientRects().length !== 1 || e.getBoundingClientRect().height > 30)
        .map(e => e.textContent)""")
    assert not broken, broken


def captions_stand_under_pictures_that_use_the_width(page):
    for figure in page.locator("figure.chart").all():
        outer, caption = figure.bounding_box(), figure.locator("figcaption").bounding_box()
        picture = next(svg for svg in figure.locator("svg").all() if svg.is_visible()).bounding_box()
        assert (
            caption["y"] >= picture["y"] + picture["height"] and picture["width"] > 0.98 * outer["width"]
        ), figure.get_attribute("id")


def a_component_can_be_chosen(page):
    seen = []
    steps = [
        lambda: None,
        lambda: page.select_option("#component", "3"),
        lambda: page.click("#next"),
        lambda: page.click("#components td [data-component='2']"),
        lambda: page.select_option("#order", "weight"),
    ]
    for step, expected in zip(steps, [1, 3, 4, 2, 2]):
        step()
        assert page.inner_text("#chosen").startswith(f"Component {expected}: correlation ")
        assert page.input_value("#component") == str(expected)
        seen.append(
            (expected, tuple(rows(page, "#leaders-x")), tuple(rows(page, "#leaders-y")), tuple(dots(page)))
        )
        assert len(seen[-1][1]) == 15 and len(seen[-1][2]) == 15
    for part in (1, 2):
        assert len({view[part] for view in seen}) == 5, "every choice has a table of its own"
    assert len({view[3] for view in seen}) == 4, "every component has a scatter of its own"
    page.select_option("#order", "loading")


def a_column_can_be_found(page):
    page.fill("#query", "Y1")
    found = page.locator("#results li .name").all_inner_texts()
    assert found[0] == "y1" and set(found) == {"y1", *(f"y{i}" for i in range(10, 20))}, found
    assert page.inner_text("#found") == "11 columns found."
    button = page.locator("#results li button").first
    component = button.inner_text().split(":")[0]
    button.press("Enter")
    assert page.input_value("#component") == component
    page.fill("#query", "</script>")
    assert page.locator("#results li .name").evaluate_all("all => all.map(e => e.textContent)") == [NASTY]
    page.fill("#query", "nobody is called so")
    assert page.inner_text("#found") == "No columns found."


def the_keyboard_is_enough(page):
    page.focus("#component")
    page.select_option("#component", "1")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#chosen").startswith("Component 2:")
    for control in page.locator("select, input, button:not([disabled])").all():
        assert control.evaluate("e => e.labels?.length > 0 || e.ariaLabel || e.textContent !== ''"), (
            "a control without a label"
        )
        assert control.evaluate("e => { e.focus(); return document.activeElement === e }")


def points_tell_their_values(page):
    title = page.locator("#correlations svg.wide path title").first.text_content()
    assert title.startswith("component 1: in training 0."), title


def nothing_is_wider_than_the_screen(page):
    wide = page.evaluate("""[...document.querySelectorAll('body *')].filter(e => !e.closest('svg, thead') &&
        e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 90))""")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") and not wide, wide
    # No text leaves its picture, and none is smaller than a reader can read.
    texts = page.evaluate("""[...document.querySelectorAll('svg.picture')]
        .filter(s => s.getBoundingClientRect().width > 0).flatMap(svg => {
        const outer = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter(t => t.textContent.trim() !== '')
            .map(t => [t, t.getBoundingClientRect()])
            .filter(([t, r]) => r.left < outer.left - 1 || r.right > outer.right + 1
                || r.top < outer.top - 1 || r.bottom > outer.bottom + 1
                || Math.max(r.height, r.width) < 6 || Math.min(r.height, r.width) < 5)
            .map(([t, r]) => [svg.ariaLabel, t.textContent, r.left - outer.left, r.right - outer.right,
                r.top - outer.top, r.height])
    })""")
    assert not texts, texts


def colours(page):
    return page.evaluate(
        "(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.body))"
    )


def paper_has_everything_but_controls(page):
    page.emulate_media(media="print", color_scheme="dark")
    assert colours(page) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"], colours(page)
    assert page.locator(".controls:visible, button:visible, input:visible, select:visible").count() == 0
    assert page.locator(".download:visible, .contents:visible").count() == 0
    for essential in [
        "h1", ".verdict", ".headline", ".figures", "#correlations svg.wide", "#components tbody tr",
        "#leaders-x tr", "#scatter svg", "#circle svg.wide", "#heatmap svg.wide", "#cim svg.wide",
        "#scores svg.wide", "#biplot svg.wide", "#captured svg.wide", "#rest svg.wide", "#settings pre",
        ".facts", ".answers",
    ]:
        assert page.locator(essential).first.is_visible(), essential
    ink = page.eval_on_selector("#correlations svg.wide text.ink", "t => getComputedStyle(t).fill")
    assert ink == "rgb(29, 28, 26)", f"pictures are dark on white paper, not {ink}"
    assert page.locator("svg.narrow:visible, svg.full:visible").count() == 0
    assert page.pdf(format="A4").startswith(b"%PDF")


def a_comparison_is_drawn(page):
    result = json.loads((FOLDER / "compare.json").read_text())
    names = ["L-CCA", "G-CCA", "RPCCA", "Sketch", "D-CCA", "auto"]
    legend = lambda chart: [
        text
        for text in page.locator(f"{chart} svg.wide text.ink").all_text_contents()
        if text in [*names, result["best"]["label"]]
    ]
    assert legend("#captured")[:6] == names
    assert page.locator("#captured svg.wide path title").count() == len(result["runs"])
    for setting in result["settings"]:
        chart = f"#setting-{setting['id']}"
        assert legend(chart) == [*names, result["best"]["label"]]
        assert page.locator(f"{chart} svg.wide path title").count() == len(names) * result["k"]
        for entry in setting["entries"]:
            assert f"{result['runs'][entry['run']]['total']:.4f}" in page.inner_text("#numbers table")
    # A method has one color on the whole page: that of its points.
    colors = page.evaluate("""[...document.querySelectorAll('svg.wide path')]
        .filter(p => p.querySelector('title'))
        .map(p => [p.textContent.split(': ')[1].split(' ')[0], getComputedStyle(p).fill])""")
    assert len({name for name, _ in colors}) == len({tuple(pair) for pair in colors}) == len(names), colors


def pictures_of_odd_models_fit(context, trouble):
    for path in sorted(FOLDER.glob("picture-*.html")):
        page = opened(context, trouble, path.name, "figure svg:visible")
        for width in [360, 768, 1440]:
            page.set_viewport_size({"width": width, "height": 740})
            try:
                nothing_is_wider_than_the_screen(page)
            except AssertionError as wrong:
                raise AssertionError(f"{path.name} at {width}") from wrong
        page.close()


def main():
    trouble = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, headless=True, args=FLAGS,
            viewport={"width": 1100, "height": 900},
        )
        page = opened(context, trouble)
        for check in [
            numbers_are_the_models, pictures_are_drawn, a_component_can_be_chosen, a_column_can_be_found,
            a_component_is_highlighted_everywhere, a_point_tells_its_row, pictures_and_tables_can_be_saved,
            the_keyboard_is_enough, points_tell_their_values,
        ]:
            check(page)
            print("ok", check.__name__)
        light = colours(page)
        page.emulate_media(color_scheme="dark")
        assert colours(page) != light
        paper_has_everything_but_controls(page)
        for scheme in ["light", "dark"]:
            page = opened(context, trouble)
            page.emulate_media(color_scheme=scheme)
            for width in [360, 768, 1440]:
                page.set_viewport_size({"width": width, "height": 740})
                page.wait_for_selector(f"#correlations svg.{size(width)}:visible")
                nothing_is_wider_than_the_screen(page)
            no_word_is_broken(page)
            captions_stand_under_pictures_that_use_the_width(page)
        page.set_viewport_size({"width": 360, "height": 740})
        a_component_can_be_chosen(page)
        print("ok on paper, in the dark, on a phone, a tablet and a large screen")
        page = opened(context, trouble, "few.html", "#scatter svg:visible")
        page.emulate_media(color_scheme="dark")
        for width in [360, 768, 1440]:
            page.set_viewport_size({"width": width, "height": 740})
            nothing_is_wider_than_the_screen(page)
        for check in [
            few_rows_are_named_in_the_looks_of_their_labels, the_table_is_as_wide_as_the_text,
            no_word_is_broken,
        ]:
            check(page)
        numbers_are_the_models(page, "few_")
        print("ok with few rows")
        page = opened(context, trouble, "compare.html", "#setting-2 svg[aria-label]:visible")
        page.set_viewport_size({"width": 1100, "height": 900})
        a_comparison_is_drawn(page)
        for width in [360, 768, 1440]:
            page.set_viewport_size({"width": width, "height": 740})
            nothing_is_wider_than_the_screen(page)
        pictures_of_odd_models_fit(context, trouble)
        print("ok", "comparison and pictures")
        context.close()
    assert not trouble, trouble


main()
