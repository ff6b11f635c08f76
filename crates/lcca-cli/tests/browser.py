"""Opens report.html and compare.html of a folder in Chromium and uses them: browser.py CHROMIUM FOLDER"""

import json
import pathlib
import shutil
import sys
import tempfile

from playwright.sync_api import sync_playwright

CHROMIUM, FOLDER = shutil.which(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]
NASTY = "</script><b>\"&'<!--\u2028"


def shown(value, digits=4):
    return f"{value:.{digits}f}".replace("-", "\u2212")


def opened(context, trouble, name="report.html", last="#rest svg"):
    page = context.new_page()
    page.on("console", lambda message: trouble.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else trouble.append(request.url))
    page.goto((FOLDER / name).as_uri())
    try:
        page.wait_for_selector(last, timeout=10_000)
    except Exception as late:
        raise AssertionError(f"the last chart was not drawn: {trouble}") from late
    return page


def rows(page, table):
    return page.locator(f"{table} tbody tr").all_inner_texts()


def dots(page):
    return page.eval_on_selector_all("#scatter g[aria-label=dot] circle", "all => all.map(c => [c.getAttribute('cx'), c.getAttribute('cy')].join())")


def numbers_are_the_models(page):
    info, score = (json.loads((FOLDER / name).read_text()) for name in ["info.json", "score.json"])
    for number, line in enumerate(page.locator("#components tbody tr").all()):
        cells = line.locator("td").all_inner_texts()
        expected = [str(number + 1), shown(info["correlations"][number]), shown(score["correlations"][number])]
        assert cells[:3] == expected, (cells, expected)
    assert number + 1 == info["k"]
    assert f"{info['total']:.4f}" in page.inner_text("header")


def charts_are_drawn(page):
    for chart, dots in [("correlations", 10), ("captured", 1), ("rest", 1), ("scatter", 2000)]:
        assert page.locator(f"#{chart} svg[aria-label]").count() == 1, chart
        marks = page.locator(f"#{chart} g[aria-label=dot] > *").count()
        assert marks == dots if chart in ("correlations", "scatter") else marks >= dots, (chart, marks)


def a_component_can_be_chosen(page):
    seen = []
    steps = [
        lambda: None,
        lambda: page.select_option("#component", "3"),
        lambda: page.click("#next"),
        lambda: page.click("#components [data-component='2']"),
        lambda: page.select_option("#order", "weight"),
    ]
    for step, expected in zip(steps, [1, 3, 4, 2, 2]):
        step()
        assert page.inner_text("#chosen").startswith(f"Component {expected}: correlation ")
        assert page.input_value("#component") == str(expected)
        seen.append((expected, tuple(rows(page, "#leaders-x")), tuple(rows(page, "#leaders-y")), tuple(dots(page))))
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
        assert control.evaluate("e => e.labels?.length > 0 || e.ariaLabel || e.textContent !== ''"), "a control without a label"
        assert control.evaluate("e => { e.focus(); return document.activeElement === e }")


def hovering_shows_values(page):
    page.hover("#correlations svg[aria-label]")
    page.wait_for_selector("#correlations g[aria-label=tip] text")
    assert "component" in page.locator("#correlations g[aria-label=tip] text").first.text_content()


def nothing_is_wider_than_the_screen(page):
    wide = page.evaluate("""[...document.querySelectorAll('body *')].filter(e => !e.closest('svg, thead') &&
        e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 90))""")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") and not wide, wide


def colours(page):
    return page.evaluate("(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.body))")


def paper_has_everything_but_controls(page):
    page.emulate_media(media="print", color_scheme="dark")
    assert colours(page) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"], colours(page)
    assert page.locator(".controls:visible, button:visible, input:visible, select:visible").count() == 0
    for essential in ["h1", ".verdict", ".figures", "#correlations svg", "#components tbody tr", "#leaders-x tr", "#scatter svg",
                      "#captured svg", "#rest svg", "#settings pre", ".facts"]:
        assert page.locator(essential).first.is_visible(), essential
    assert page.pdf(format="A4").startswith(b"%PDF")


def a_comparison_is_drawn(page):
    result = json.loads((FOLDER / "compare.json").read_text())
    names = ["L-CCA", "G-CCA", "RPCCA", "Sketch", "D-CCA", "auto"]
    assert page.locator("#captured .legend li").all_inner_texts() == names
    assert page.locator("#captured g[aria-label=dot] > *").count() == len(result["runs"])
    for setting in result["settings"]:
        chart = f"#setting-{setting['id']}"
        assert page.locator(f"{chart} .legend li").all_inner_texts() == [*names, result["best"]["label"]]
        assert page.locator(f"{chart} g[aria-label=dot] > *").count() == len(names) * result["k"]
        for entry in setting["entries"]:
            assert f"{result['runs'][entry['run']]['total']:.4f}" in page.inner_text("#numbers table")
    page.locator("#captured g[aria-label=dot] > *").first.hover(force=True)
    page.wait_for_selector("#captured g[aria-label=tip] text")


def main():
    trouble = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, headless=True, args=FLAGS, viewport={"width": 1100, "height": 900})
        page = opened(context, trouble)
        for check in [numbers_are_the_models, charts_are_drawn, a_component_can_be_chosen, a_column_can_be_found,
                      the_keyboard_is_enough, hovering_shows_values, nothing_is_wider_than_the_screen]:
            check(page)
            print("ok", check.__name__)
        light = colours(page)
        page.emulate_media(color_scheme="dark")
        assert colours(page) != light
        paper_has_everything_but_controls(page)
        page = opened(context, trouble)
        page.set_viewport_size({"width": 360, "height": 740})
        page.wait_for_selector("#correlations svg[width='320']")
        for check in [nothing_is_wider_than_the_screen, a_component_can_be_chosen]:
            check(page)
        print("ok on paper, in the dark and on a phone")
        page = opened(context, trouble, "compare.html", "#setting-2 svg[aria-label]")
        for check in [a_comparison_is_drawn, nothing_is_wider_than_the_screen]:
            check(page)
        page.set_viewport_size({"width": 360, "height": 740})
        page.wait_for_selector("#setting-2 svg[width='320']")
        nothing_is_wider_than_the_screen(page)
        print("ok", "comparison")
        context.close()
    assert not trouble, trouble


main()
