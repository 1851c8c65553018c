"""The page of a run and its TensorBoard files: complete, self-contained, and the same however often it was killed."""

import json
import re
import struct
from dataclasses import asdict
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import tomli_w
from reports import RUN, report
from small_runs import SMALL

from tengen.base.bundled import bundled_folder, bundled_names
from tengen.config import load_config
from tengen.interfaces import report_page
from tengen.interfaces.chart import MOST_POINTS, Bar, Line, bars, lines, ticks
from tengen.interfaces.report_page import RunPage, build_page, write_page
from tengen.interfaces.tensorboard import EventFile, crc32c, scalars
from tengen.report import Finding, GateReport, IterationReport, RatingReport, StrengthReport

FINDING = Finding("all games drawn", "99% of the <games> were drawn", "raise self_play.random_start_plies")


def history(iterations: int = 12) -> list[IterationReport]:
    """With two measurements, a gate, and findings now and then."""
    reports = []
    for iteration in range(1, iterations + 1):
        changes: dict[str, object] = {"seconds": 10.0 * iteration, "seconds_left": 10.0 * (20 - iteration)}
        if iteration % 5 == 0:
            changes["rating"] = RatingReport(f"iteration {iteration}", 100.0 + iteration, 55.0, "rollout:100", 2.0)
            changes["strength"] = (StrengthReport("rollout:100", 40, 0.75, (0.6, 0.86)),)
        if iteration == iterations:
            changes["gate"] = GateReport(9, 128, 0.61, True, 1.0)
        if iteration in (3, 4, iterations):
            changes["findings"] = (FINDING,) if iteration == iterations else (Finding("policy collapsed", "a", "b"),)
        reports.append(report(iteration, **changes))
    return reports


def write_run(folder: Path, reports: list[IterationReport]) -> Path:
    folder.mkdir(exist_ok=True)
    config = load_config(game="connect_four").model_dump(mode="json")
    (folder / "config.toml").write_text(tomli_w.dumps(config))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(asdict(line)) + "\n" for line in reports))
    return folder


class Checked(HTMLParser):
    """Complains of tags that are not closed, and collects what the page would fetch."""

    EMPTY = ("meta",)

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "action")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def checked(page: str) -> str:
    """Its words, if it is well-formed and needs nothing from elsewhere."""
    parser = Checked()
    parser.feed(page)
    assert parser.open == []
    assert parser.fetched == []
    assert "http" not in page
    assert "<script" not in page
    for drawing in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL):
        ElementTree.fromstring(drawing)
    assert "nan" not in page.lower().replace("finance", "")
    return re.sub(r"\s+", " ", " ".join(parser.texts))


def test_the_page_says_everything(tmp_path: Path) -> None:
    words = checked(build_page(write_run(tmp_path / "run", history())))
    for part in (
        "connect_four",
        "iteration 12 · 2 min 0 s so far, 1 min 20 s left",
        "Elo 110 ± 55",
        "rollout:100 has 0",
        "1,200 9,600 positions",
        "all games drawn: 99% of the <games> were drawn; raise self_play.random_start_plies.",
        "earlier, in iterations 3 to 4: policy collapsed",
        "Strength",
        "Losses",
        "policy 1.23",
        "Game length",
        "Certainty",
        "Evaluations per second",
        "Games per second",
        "Where the time went",
        "measuring 3%",
        "1 of 1 candidates were promoted. Iteration 12 was promoted: it scored 61% in 128 games against the champion "
        "of iteration 9",
        "rollout:100 40 75% 60% to 86%",
        "window_most = 600000",
    ):
        assert part in words


def test_light_dark_and_narrow(tmp_path: Path) -> None:
    page = build_page(write_run(tmp_path / "run", history()))
    assert "prefers-color-scheme: dark" in page
    assert "width=device-width" in page
    used = set(re.findall(r"var\((--\w+)\)", page))
    assert used <= set(re.findall(r"(--\w+):", page))


@pytest.mark.parametrize("iterations", [0, 1, 2])
def test_a_young_run_has_a_page(tmp_path: Path, iterations: int) -> None:
    words = checked(build_page(write_run(tmp_path / "run", [report(i + 1) for i in range(iterations)])))
    assert ("no iteration is finished yet" in words) == (iterations == 0)
    assert ("The figures of the run show nothing wrong." in words) == (iterations > 0)
    assert "Ladder" not in words


def test_lines_that_can_not_be_read_are_left_out(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", history())
    whole = build_page(folder)
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"iteration": 13, "lo')
    assert build_page(folder) == whole
    (folder / "metrics.jsonl").write_text('7\n{}\n{"iteration": "x"}\n')
    assert "no iteration is finished yet" in build_page(folder)


def test_the_page_is_written_now_and_then_and_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(report_page.time, "monotonic", lambda: clock[0])
    path = tmp_path / "run" / "report.html"
    with RunPage(write_run(tmp_path / "run", [])) as page:
        page.run_started(RUN)
        seen = []
        for iteration in range(1, 8):
            write_run(tmp_path / "run", history(iteration))
            page.iteration_finished(report(iteration))
            clock[0] += 8.0
            seen.append(path.read_text())
    assert [seen[i] != seen[i - 1] for i in range(1, 7)] == [False, False, True, False, False, True]
    write_run(tmp_path / "run", history(8))
    assert f"iteration {7}" in path.read_text()
    with RunPage(tmp_path / "run") as page:
        page.iteration_finished(report(8))
        write_run(tmp_path / "run", history(9))
        page.iteration_finished(report(9))
        assert "iteration 8 ·" in path.read_text()
    assert "iteration 9 ·" in path.read_text()
    assert [file.name for file in (tmp_path / "run").iterdir() if file.suffix == ".tmp"] == []


def test_the_command(tmp_path: Path, cli, refused) -> None:
    folder = write_run(tmp_path / "run", history())
    assert cli("report", str(folder)) == f"Written: {folder / 'report.html'}\n"
    assert (folder / "report.html").read_text() == build_page(folder)
    assert write_page(folder) == folder / "report.html"
    assert "is no run" in refused("report", str(tmp_path))


# ---- Charts


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.93, 1.12, [0.9, 0.95, 1.0, 1.05, 1.1, 1.15]),
        (-350.0, 820.0, [-500.0, 0.0, 500.0, 1000.0]),
        (3.0, 3.0, [3.0, 4.0]),
        (0.0, 0.0, [0.0, 0.2]),
    ],
)
def test_ticks_are_round_and_span_everything(low: float, high: float, expected: list[float]) -> None:
    found = ticks(low, high)
    assert found == pytest.approx(expected)
    assert found[0] <= low <= high <= found[-1]


def test_a_chart_stays_in_its_box_and_keeps_the_newest_point() -> None:
    points = [(float(x), float((x * 37) % 101 - 50)) for x in range(5000)]
    drawn = lines([Line("a", points), Line("b", [(0.0, float("nan")), (1.0, 2.0)], errors=[1.0, 500.0])], label=str)
    chart = ElementTree.fromstring(drawn[: drawn.index("</svg>") + 6])
    [first, *_] = [node.attrib["points"].split() for node in chart.iter("polyline")]
    places = [tuple(map(float, place.split(","))) for place in first]
    assert 2 < len(places) <= MOST_POINTS
    assert all(0 <= x <= 400 and 0 <= y <= 214 for x, y in places)
    assert places[-1][0] == pytest.approx(392)
    for bar in chart.iter("line"):
        assert 0 <= float(bar.attrib["y2"]) <= 214
    assert f"<b>{points[-1][1]}</b>" in drawn


def test_parts_of_a_bar_add_up() -> None:
    drawn = bars([Bar("a", 30.0, 1), Bar("b", 10.0, 2), Bar("none", 0.0, 3)])
    assert re.findall(r"<b>(\d+%)</b>", drawn) == ["75%", "25%"]
    assert "none" not in drawn
    assert "Nothing to show" in bars([Bar("a", 0.0, 1)])


# ---- TensorBoard


def test_crc32c() -> None:
    assert crc32c(b"123456789") == 0xE3069283  # the check value of the standard
    assert crc32c(bytes(32)) == 0x8A9136AA  # RFC 3720, B.4


def unmasked(masked: int) -> int:
    rotated = masked - 0xA282EAD8 & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def records(content: bytes) -> list[bytes]:
    """As a reader takes a file apart, checking every sum."""
    found = []
    while content:
        head, (masked,) = content[:8], struct.unpack("<I", content[8:12])
        assert unmasked(masked) == crc32c(head)
        length = struct.unpack("<Q", head)[0]
        data, (masked,) = content[12 : 12 + length], struct.unpack("<I", content[12 + length : 16 + length])
        assert unmasked(masked) == crc32c(data)
        found.append(data)
        content = content[16 + length :]
    return found


def fields(message: bytes) -> list[tuple[int, object]]:
    """A protocol buffer taken apart: field numbers and values."""
    found: list[tuple[int, object]] = []
    at = 0

    def varint() -> int:
        nonlocal at
        number = shift = 0
        while True:
            byte = message[at]
            at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    while at < len(message):
        key = varint()
        size = {1: 8, 5: 4}.get(key & 7)
        if key & 7 == 0:
            found.append((key >> 3, varint()))
            continue
        size = varint() if size is None else size
        content = message[at : at + size]
        at += size
        found.append((key >> 3, struct.unpack({4: "<f", 8: "<d"}[size], content)[0] if key & 7 != 2 else content))
    return found


def points(folder: Path) -> dict[int, dict[str, float]]:
    """Every scalar by step and tag. Refuses a step that is there twice."""
    [path] = (folder / "tensorboard").iterdir()
    assert "tfevents" in path.name  # what TensorBoard looks for
    version, *events = (dict(fields(record)) for record in records(path.read_bytes()))
    assert version[3] == b"brain.Event:2"
    found: dict[int, dict[str, float]] = {}
    times = []
    for event in events:
        values = (dict(fields(value)) for _, value in fields(event[5]))  # type: ignore[arg-type]
        assert event[2] not in found
        found[event[2]] = {value[1].decode(): value[2] for value in values}  # type: ignore[index, union-attr, misc]
        times.append(event[1])
    assert times == sorted(times)  # type: ignore[type-var]
    return found


def test_events_are_read_back(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", [])
    events = EventFile(folder)
    events.run_started(RUN)
    for line in history():
        events.iteration_finished(line)
    found = points(folder)
    assert list(found) == list(range(1, 13))
    for line in history():
        assert found[line.iteration] == pytest.approx(scalars(line), rel=1e-6)
    assert found[10]["strength/elo"] == 110.0
    assert found[10]["score_against/rollout:100"] == 0.75
    assert "strength/elo" not in found[11]
    assert found[12]["learner/policy_loss"] == pytest.approx(1.2345)


@pytest.mark.parametrize("damage", ["none", "short", "flipped", "gone", "first"])
def test_a_killed_run_has_no_point_twice(tmp_path: Path, damage: str) -> None:
    """Killed in the middle of a record, or after a line that was never committed and is written again."""
    folder = write_run(tmp_path / "run", [])
    first = EventFile(folder)
    first.run_started(RUN)
    for line in history(12)[:6]:
        first.iteration_finished(line)
    [path] = (folder / "tensorboard").iterdir()
    content, inode = path.read_bytes(), path.stat().st_ino
    if damage == "gone":
        path.unlink()
    else:
        cut = {"short": content[:-7], "flipped": content[:900] + b"?" + content[901:], "first": b"??" + content}
        path.write_bytes(cut.get(damage, content))
    write_run(folder, history(12)[:5])  # what counts of it
    again = EventFile(folder)
    again.run_started(RUN)
    for line in history(12)[5:]:
        again.iteration_finished(line)
    assert list(points(folder)) == list(range(1, 13))
    if damage in ("none", "short"):  # a reader that has seen all of it can read on
        assert path.read_bytes().startswith(content)
        assert path.stat().st_ino == inode


def test_a_run_from_the_command_line_has_both(tmp_path: Path, cli) -> None:
    (tmp_path / "small.toml").write_text(tomli_w.dumps({**SMALL, "game": "tic_tac_toe"}))
    command = ["train", "tic_tac_toe", "--config", str(tmp_path / "small.toml"), "--run", str(tmp_path / "run")]
    for iterations in (1, 2):
        cli(*command, "--iterations", str(iterations))
        assert f"iteration {iterations} ·" in checked((tmp_path / "run" / "report.html").read_text())
        assert list(points(tmp_path / "run")) == list(range(1, iterations + 1))


@pytest.mark.parametrize("name", bundled_names("models"))
def test_bundled_networks_have_all_that_their_page_needs(name: str) -> None:
    page = build_page(bundled_folder("models") / name)
    assert "<svg" in page
    assert ("finished" in page) == (name != "chess")  # whose run was stopped at its sixteenth iteration of twenty


def test_loss_terms_of_ones_own_are_curves_of_their_own() -> None:
    found = scalars(report(learner={"own_losses": {"entropy": 0.5}}))
    assert found["learner/entropy_loss"] == 0.5
