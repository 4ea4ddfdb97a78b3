"""Starts `opendelivery mock` and controls it over HTTP."""

import json
import os
import re
import shlex
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# `npm install --save-dev opendelivery-client` installs it.
COMMAND = os.environ.get("OPENDELIVERY", "node_modules/.bin/opendelivery")


class MockHub:
    """It is also a clock for the application: `sleep` advances the clock of the mock hub and returns at once."""

    # #region start
    def __init__(self):
        os.environ["no_proxy"] = "127.0.0.1"
        # Into a file: nobody reads a pipe while the tests run, and when it is full the mock hub stops.
        self.log = tempfile.NamedTemporaryFile(prefix="mock-hub-", suffix=".log")
        command = shlex.split(COMMAND) + ["mock", "--port", "0", "--scale", "0"]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT)
        found = None
        while found is None:
            time.sleep(0.02)
            with open(self.log.name) as log:
                output = log.read()
            if self.process.poll() is not None:
                raise RuntimeError(f"the mock hub did not start: {output}")
            found = re.search(r"HUB_BASE_URL=(\S+)\n.*control it:", output, re.DOTALL)
        self.url = found[1]
    # #endregion

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()

    # #region control
    def control(self, method, path, body=None):
        """Sends a request to /_mock/; `GET /_mock/` lists them all."""
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"{self.url}/_mock/{path}", data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["title"]) from None
    # #endregion

    # #region clock
    def time(self):
        return self.control("GET", "clock")["now"] / 1000

    def sleep(self, seconds):
        self.control("POST", "clock", {"advance": seconds * 1000})
    # #endregion
