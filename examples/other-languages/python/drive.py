"""Runs the ordering application for a rehearsal: opendelivery certify <script> --drive http://127.0.0.1:3000/drive

It needs the HUB_ variables that the rehearsal prints. PORT is its own port (default 3000), HUB_SCALE the `--scale`.
"""

import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ordering_app import Hub, HubError, OrderingApp
from ticket import ticket


class ScaledClock:
    """The machine's clock, `scale` times as fast."""

    def __init__(self, scale):
        self.scale = scale
        self.started_at = time.time()

    def time(self):
        return self.started_at + (time.time() - self.started_at) * self.scale

    def sleep(self, seconds):
        time.sleep(seconds / self.scale)


class Drive(BaseHTTPRequestHandler):
    """POST /drive: a command of an order. GET /drive/orders/<id>: its ticket. POST /drive/newEvent: a push."""

    app = None
    secret = ""

    # #region requests
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/drive/newEvent":
            self.answer(self.pushed(body))
        else:
            self.answer(self.asked(json.loads(body)))

    def do_GET(self):
        known = self.app.orders.get(self.path.rpartition("/")[2])
        if known is None:
            self.answer(404)
        else:
            self.answer(200, ticket(known["order"], known["stage"]))

    def asked(self, request):
        try:
            self.app.hub.command(request["orderId"], request["action"], request.get("data"))
            return 204
        except HubError as error:
            return error.status

    def pushed(self, body):
        signature = self.headers.get("x-app-signature")
        if not signature:
            return 401
        if not hmac.compare_digest(hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest(), signature):
            return 403
        if self.headers.get("x-app-merchantid") != self.app.hub.merchant()["id"]:
            return 404
        self.app.receive([json.loads(body)])
        return 204
    # #endregion

    def answer(self, status, text=""):
        self.send_response(status)
        self.send_header("content-type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *words):
        pass


def main():
    url, client_id, secret, api_key = (
        os.environ[f"HUB_{name}"] for name in ("BASE_URL", "CLIENT_ID", "CLIENT_SECRET", "API_KEY")
    )
    Drive.app = app = OrderingApp(
        Hub(url, client_id, secret, api_key, ScaledClock(float(os.environ.get("HUB_SCALE", 1))))
    )
    Drive.secret = secret
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Drive)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while True:
        try:
            app.turn()
        except Exception as error:  # the next poll brings what was not acknowledged
            print(error, file=sys.stderr)


if __name__ == "__main__":
    main()
