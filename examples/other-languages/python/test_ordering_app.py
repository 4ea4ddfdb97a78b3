"""Run with: python3 -m unittest -v test_ordering_app"""

import unittest

from mock_hub import MockHub
from ordering_app import Hub, OrderingApp

MINUTE = 60
DAY = 24 * 60 * MINUTE


class OrderingAppTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mock = MockHub()
        cls.addClassCleanup(cls.mock.close)

    # #region around-each-test
    def setUp(self):
        self.mock.control("POST", "reset")
        self.apps = []
        self.app = self.app_of(self.mock.control("GET", "stores")[0])

    def tearDown(self):
        for app in self.apps:
            app.turn()  # the events of its last commands
        for store in self.mock.control("GET", "stores"):
            events = self.mock.control("GET", f"events?clientId={store['clientId']}")
            self.assertEqual(events["pending"], [], "every event was acknowledged")
        self.assertEqual(self.mock.control("GET", "violations"), [], "no rule of the hub was broken")
    # #endregion

    def app_of(self, store):
        hub = Hub(self.mock.url, store["clientId"], store["clientSecret"], store["apiKey"], self.mock)
        self.apps.append(OrderingApp(hub))
        return self.apps[-1]

    def create_order(self, **order):
        return self.mock.control("POST", "orders", order)

    def emit(self, event_type, order_id, **event):
        event = {"eventType": event_type, "orderId": order_id, **event}
        return self.mock.control("POST", "events", event)

    def requests_to(self, endpoint):
        journal = self.mock.control("GET", "requests")
        return [entry for entry in journal if entry.get("endpoint") == endpoint]

    def test_01_create(self):
        self.create_order(displayId="42", type="TAKEOUT")
        self.app.turn()
        self.assertEqual(self.app.printed, ["42"])

    def test_02_confirm(self):
        order_id = self.create_order()["orderId"]
        self.app.turn()
        self.app.turn()  # the hub says that the order is confirmed in the next poll
        self.assertEqual(self.app.stage(order_id), "CONFIRMED")
        self.mock.sleep(11 * MINUTE)  # an unanswered order would be a violation now

    def test_03_lost_acknowledgment(self):
        # `lost`: the hub processes the request and its response is lost; `reset`: it processes nothing.
        for number, fault in enumerate(["lost", "reset"], start=1):
            with self.subTest(fault):
                self.create_order()
                self.mock.control("POST", "faults", {"endpoint": "acknowledgment", "fault": fault})
                self.app.turn()
                self.app.turn()
                self.assertEqual(len(self.app.printed), number)

    # #region rate-limit
    def test_04_rate_limit(self):
        fault = {"status": 429, "headers": {"retry-after": "90"}}
        self.mock.control("POST", "faults", {"endpoint": "polling", "fault": fault})
        self.create_order()
        self.app.turn()
        first, second = self.requests_to("polling")
        self.assertEqual([first["status"], second["status"]], [429, 200])
        self.assertGreaterEqual(second["at"] - first["at"], 90_000)
        self.assertEqual(len(self.app.printed), 1)
    # #endregion

    def test_05_expired_token(self):
        self.app.turn()
        self.mock.sleep(8 * DAY)  # expired, as the application knows
        self.create_order()
        self.app.turn()
        self.mock.control("DELETE", "tokens")  # revoked: the application learns it from a 401
        self.create_order()
        self.app.turn()
        self.assertEqual(len(self.app.printed), 2)
        self.assertEqual(len(self.requests_to("token")), 3)
        self.assertEqual([entry["status"] for entry in self.requests_to("polling")], [204, 200, 401, 200])

    def test_06_cancellation(self):
        order_id = self.create_order()["orderId"]
        self.app.turn()
        self.emit("ORDER_CANCELLATION_REQUEST", order_id, metadata={"reason": "Wrong address"})
        self.app.turn()
        self.app.turn()
        self.assertEqual(self.app.stage(order_id), "CANCELLED")
        self.mock.sleep(11 * MINUTE)  # an unanswered request would be a violation now

    def test_07_duplicate(self):
        event = self.create_order()["event"]
        self.app.turn()
        self.mock.control("POST", "redeliveries", {"eventId": event["eventId"]})
        self.app.turn()
        self.assertEqual(len(self.app.printed), 1)
        self.assertEqual(len(self.requests_to("orderStatus")), 1)

    def test_08_late_event(self):
        order_id = self.create_order()["orderId"]
        self.app.turn()
        self.emit("DISPATCHED", order_id)
        self.app.turn()
        self.emit("PREPARING", order_id, createdAt="2026-01-01T00:00:00Z")
        self.app.turn()
        self.assertEqual(self.app.stage(order_id), "DISPATCHED")

    def test_09_menu_change(self):
        merchant = self.mock.control("GET", "merchant")
        before = self.app.prices()
        offer = merchant["itemOffers"][0]
        offer["price"]["value"] += 10
        self.mock.control("PATCH", "merchant", {"itemOffers": merchant["itemOffers"]})
        self.assertEqual(self.app.prices(), before)
        self.assertEqual(len(self.requests_to("merchant")), 1)
        self.mock.sleep(merchant["TTL"])
        changed = [name for name, price in self.app.prices().items() if price == before[name] + 10]
        self.assertEqual(changed, [item["name"] for item in merchant["items"] if item["id"] == offer["itemId"]])

    def test_10_closed_store(self):
        ttl = self.mock.control("GET", "merchant")["TTL"]
        self.assertNotEqual(self.app.prices(), {})
        self.mock.control("PATCH", "merchant", {"status": "UNAVAILABLE"})
        self.mock.sleep(ttl)
        self.assertEqual(self.app.prices(), {})
        self.mock.control("PATCH", "merchant", {"status": "AVAILABLE"})
        self.mock.sleep(ttl)
        self.assertNotEqual(self.app.prices(), {})

    def test_11_two_stores(self):
        store = {"clientId": "2002", "clientSecret": "other secret", "apiKey": "other key"}
        second = self.app_of(self.mock.control("POST", "stores", store))
        self.create_order(displayId="1")
        self.create_order(displayId="2", clientId="2002")
        self.app.turn()
        second.turn()  # at the same time: each store has its own limits
        self.assertEqual([self.app.printed, second.printed], [["1"], ["2"]])

    def test_12_reset(self):
        self.create_order()
        self.app.turn()
        self.create_order()
        self.mock.control("PATCH", "merchant", {"status": "UNAVAILABLE"})
        self.mock.control("PUT", "faults", {"seed": 7, "rate": 1})
        self.mock.control("POST", "reset")
        self.assertEqual(self.mock.control("GET", "requests"), [])
        self.assertEqual(self.mock.control("GET", "merchant")["status"], "AVAILABLE")
        self.create_order(displayId="after")
        self.app.turn()  # the hub does not know its token any more
        self.assertEqual(self.app.printed[1:], ["after"])


if __name__ == "__main__":
    unittest.main()
