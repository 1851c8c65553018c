"""Firefox for the tests of the page, driven by WebDriver BiDi, which firefox-esr speaks without a driver.

Only what the tests need: go somewhere, ask the page, press, type, and hear what it complains about.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

PATIENCE = 180.0  # seconds: a busy machine is slow, not wrong
PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "intl.accept_languages": "en-GB",
}
RESTS = """(() => {
    const main = document.querySelector("main");
    return main?.dataset.place === location.hash && main.querySelector("[aria-busy=true]") === null;
})()"""
KEYS = {"Enter": "\ue007", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}


class Firefox:
    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.complaints: list[str] = []
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=["log.entryAdded"])
        self._context = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def go(self, address: str) -> None:
        """Until the page shows that place, as the server knows it."""
        self._send("browsingContext.navigate", context=self._context, url=address, wait="interactive")
        self.wait(RESTS)

    def ask(self, expression: str) -> Any:
        """The value of an expression of JavaScript, which must fit into JSON."""
        answer = self._evaluate(f"JSON.stringify({expression})")
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        value = answer["result"].get("value")
        return None if value is None else json.loads(value)

    def wait(self, condition: str) -> None:
        """Until an expression is true; it is asked again until then."""
        end = time.monotonic() + PATIENCE
        while not self.ask(f"Boolean({condition})"):
            assert time.monotonic() < end, (
                f"never true: {condition}; the page says: {self.ask('document.body.innerText')}"
            )
            time.sleep(0.05)

    def text(self, selector: str) -> str:
        self.wait(f"document.querySelector({json.dumps(selector)})")
        found: str = self.ask(f"document.querySelector({json.dumps(selector)}).textContent")
        return found

    def press(self, selector: str) -> None:
        """A press of the mouse in the middle of the first element that fits, as soon as it can be pressed."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.wait(f"{found} && !{found}.disabled && !{found}.closest('[aria-disabled=true]')")
        self._evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        node = self._evaluate(f"document.querySelector({json.dumps(selector)})")["result"]
        origin = {"type": "element", "element": {"sharedId": node["sharedId"]}}
        steps = [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": origin},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._send(
            "input.performActions",
            context=self._context,
            actions=[{"type": "pointer", "id": "mouse", "actions": steps}],
        )

    def type(self, key: str) -> None:
        value = KEYS.get(key, key)
        steps = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self._send(
            "input.performActions", context=self._context, actions=[{"type": "key", "id": "keys", "actions": steps}]
        )

    def _evaluate(self, expression: str) -> dict[str, Any]:
        return self._send(
            "script.evaluate", expression=expression, target={"context": self._context}, awaitPromise=True
        )

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv(PATIENCE))
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.complaints.append(str(answer["params"]["text"]))
            if answer.get("id") == self._number:
                assert answer["type"] == "success", answer
                result: dict[str, Any] = answer["result"]
                return result


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """A Firefox that was never anywhere before."""
    profile.mkdir(parents=True, exist_ok=True)
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("".join(lines))
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    assert program is not None, "Firefox is not installed: apt-get install firefox-esr"
    command = [program, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    try:
        said = []
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"BiDi listening on (ws://\S+)", line):
                with connect(f"{found[1]}/session", max_size=None) as socket:
                    yield Firefox(socket)
                return
        raise AssertionError(f"Firefox did not start: {''.join(said)}")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
