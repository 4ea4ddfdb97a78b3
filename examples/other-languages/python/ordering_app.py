"""A small ordering application: it receives a store's orders, confirms them and follows them.

Python 3.8 or newer, without packages. `clock` is the module `time` in production,
and the clock of the mock hub in tests: both have `time()` and `sleep(seconds)`.
"""

import http.client
import json
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

POLLING = "/v1/events:polling"
POLL_INTERVAL = 30  # the hub allows two polls a minute
RENEW_BEFORE = 60  # seconds before the token expires
ATTEMPTS = 4

# An event with a lower rank than the order's stage is late: it changes nothing.
STAGES = [
    "CREATED",
    "CONFIRMED",
    "PREPARING",
    "READY_FOR_PICKUP",
    "DISPATCHED",
    "PICKED_UP",
    "DELIVERED",
    "CONCLUDED",
    "CANCELLED",
]


class HubError(Exception):
    """The hub refused a request. `status` is its HTTP status."""

    def __init__(self, status, body):
        super().__init__(f"the hub responded with {status}: {body[:200]}")
        self.status = status


class Hub:
    """The requests of one store."""

    def __init__(self, base_url, client_id, client_secret, api_key, clock=time):
        self.base_url = base_url + "/opendelivery"
        self.client_id = client_id
        self.client_secret = client_secret
        self.api_key = api_key
        self.clock = clock
        self._token = None
        self._token_expires_at = 0
        self._next_poll_at = 0
        self._merchant = None
        self._merchant_expires_at = 0

    def poll(self):
        """The pending events. Waits until the hub allows the next poll."""
        return self._authorized("GET", POLLING) or []

    def acknowledge(self, events):
        """Confirms events, at most 100 per request. Repeating it is harmless."""
        items = [
            {"id": event["eventId"], "orderId": event["orderId"], "eventType": event["eventType"]}
            for event in events
        ]
        for start in range(0, len(items), 100):
            self._authorized("POST", "/v1/events/acknowledgment", items[start : start + 100])

    def order(self, order_id):
        return self._authorized("GET", f"/v1/orders/{urllib.parse.quote(order_id, safe='')}")

    def command(self, order_id, command, body=None):
        """Changes an order. If the connection breaks, the result is unknown, so it is not sent again."""
        path = f"/v1/orders/{urllib.parse.quote(order_id, safe='')}/{command}"
        try:
            self._authorized("POST", path, body, attempts=1)
        except HubError as error:
            if error.status != 422:  # the order is already there
                raise

    def merchant(self):
        """The store and its menu. It is requested again when its TTL is over."""
        if self.clock.time() >= self._merchant_expires_at:
            self._merchant = self._request("GET", "/v1/merchant", {"x-api-key": self.api_key})
            ttl = min(max(self._merchant.get("TTL", 500), 500), 86400)
            self._merchant_expires_at = self.clock.time() + ttl
        return self._merchant

    def _authorized(self, method, path, body=None, attempts=ATTEMPTS):
        try:
            return self._request(method, path, self._bearer(), body, attempts)
        except HubError as error:
            if error.status != 401:
                raise
        self._token = None  # revoked, or expired by the hub's clock: one new token, one more request
        return self._request(method, path, self._bearer(), body, attempts)

    def _bearer(self):
        if self._token is None or self.clock.time() >= self._token_expires_at - RENEW_BEFORE:
            form = {
                "client_id": self.client_id,
                "client_secret": self.client_secret,
                "grant_type": "client_credentials",
            }
            response = self._request("POST", "/oauth/token", {}, urllib.parse.urlencode(form))
            self._token = response["access_token"]
            self._token_expires_at = self.clock.time() + float(response.get("expires_in", 3600))
        return {"authorization": f"Bearer {self._token}"}

    def _request(self, method, path, headers, body=None, attempts=ATTEMPTS):
        if isinstance(body, str):
            headers = {**headers, "content-type": "application/x-www-form-urlencoded"}
        elif body is not None:
            headers = {**headers, "content-type": "application/json"}
            body = json.dumps(body)
        data = body.encode() if body is not None else None
        request = urllib.request.Request(self.base_url + path, data, headers, method=method)
        attempt = 0
        while True:
            attempt += 1
            if path == POLLING:
                self._wait_for_next_poll()  # a repeated poll counts too
            try:
                with urllib.request.urlopen(request, timeout=30) as response:
                    text = response.read()
                    return json.loads(text) if text else None
            except urllib.error.HTTPError as error:
                if error.code == 429 and attempt < ATTEMPTS:
                    # In seconds here; a hub may also send a date.
                    self.clock.sleep(float(error.headers.get("retry-after", 60)))
                elif error.code < 500 or attempt >= attempts:
                    raise HubError(error.code, error.read().decode("utf-8", "replace")) from None
                else:
                    self.clock.sleep(2**attempt)
            except (OSError, http.client.HTTPException):
                if attempt >= attempts:
                    raise
                self.clock.sleep(2**attempt)
            finally:
                if path == POLLING:  # after the response: it may have been slow on its way to the hub
                    self._next_poll_at = self.clock.time() + POLL_INTERVAL

    def _wait_for_next_poll(self):
        wait = self._next_poll_at - self.clock.time()
        if wait > 0:
            self.clock.sleep(wait)


class OrderingApp:
    """What the store sees. Keep `orders` and `handled` in a database: they must survive a restart."""

    def __init__(self, hub):
        self.hub = hub
        self.orders = {}  # order id -> {"order": the document, "stage": its newest stage}
        self.handled = set()  # ids of events
        self.printed = []  # the numbers on the tickets of the kitchen
        self.lock = threading.Lock()  # a push may come while a poll is handled

    def turn(self):
        """One poll. An event is acknowledged after it was handled, never before."""
        events = self.hub.poll()
        self.receive(events)
        if events:
            self.hub.acknowledge(events)

    def receive(self, events):
        """Handles the events of a poll or a push, each one once."""
        with self.lock:
            for event in events:
                if event["eventId"] not in self.handled:
                    self.handle(event)
                    self.handled.add(event["eventId"])

    def handle(self, event):
        event_type, order_id = event["eventType"], event["orderId"]
        if order_id not in self.orders:
            order = self.hub.order(order_id)
            self.orders[order_id] = {"order": order, "stage": "CREATED"}
            self.printed.append(order["displayId"])
        known = self.orders[order_id]
        if event_type == "CREATED":
            body = {"createdAt": known["order"]["createdAt"], "orderExternalCode": order_id}
            self.hub.command(order_id, "confirm", body)
        elif event_type == "ORDER_CANCELLATION_REQUEST":
            self.answer_cancellation(order_id, known["stage"])
        elif event_type in STAGES and STAGES.index(event_type) > STAGES.index(known["stage"]):
            known["stage"] = event_type

    def answer_cancellation(self, order_id, stage):
        """A customer can cancel until the order is ready."""
        if STAGES.index(stage) < STAGES.index("READY_FOR_PICKUP"):
            self.hub.command(order_id, "acceptCancellation")
        else:
            body = {"reason": "O pedido já está pronto", "code": "DISH_ALREADY_DONE"}
            self.hub.command(order_id, "denyCancellation", body)

    def stage(self, order_id):
        return self.orders[order_id]["stage"]

    def prices(self):
        """What customers can order now: the price of each item by its name. A closed store sells nothing."""
        merchant = self.hub.merchant()
        if merchant.get("status") != "AVAILABLE":
            return {}
        names = {item["id"]: item["name"] for item in merchant["items"]}
        return {
            names[offer["itemId"]]: offer["price"]["value"]
            for offer in merchant["itemOffers"]
            if offer.get("status", "AVAILABLE") == "AVAILABLE"
        }


def main():
    import os

    hub = Hub(
        os.environ["HUB_BASE_URL"],
        os.environ["HUB_CLIENT_ID"],
        os.environ["HUB_CLIENT_SECRET"],
        os.environ["HUB_API_KEY"],
    )
    app = OrderingApp(hub)
    while True:
        app.turn()
        for order_id, known in app.orders.items():
            print(known["order"]["displayId"], known["stage"], flush=True)


if __name__ == "__main__":
    main()
