<?php

declare(strict_types=1);

/** Run with: php test-ordering-app.php [the name of one test] */

require_once __DIR__ . '/mock-hub.php';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

function same(mixed $expected, mixed $actual, string $what = 'the value'): void
{
    if ($expected !== $actual) {
        throw new RuntimeException("$what is " . json_encode($actual) . ', not ' . json_encode($expected));
    }
}

final class OrderingAppTest
{
    private OrderingApp $app;
    private array $apps = [];

    public function __construct(private MockHub $mock)
    {
        $this->mock->control('POST', 'reset');
        $this->app = $this->appOf($this->mock->control('GET', 'stores')[0]);
    }

    public function finish(): void
    {
        foreach ($this->apps as $app) {
            $app->turn(); // the events of its last commands
        }
        foreach ($this->mock->control('GET', 'stores') as $store) {
            $events = $this->mock->control('GET', "events?clientId={$store['clientId']}");
            same([], $events['pending'], 'what was not acknowledged');
        }
        same([], $this->mock->control('GET', 'violations'), 'what broke a rule of the hub');
    }

    private function appOf(array $store): OrderingApp
    {
        $hub = new Hub($this->mock->url, $store['clientId'], $store['clientSecret'], $store['apiKey'], $this->mock);
        return $this->apps[] = new OrderingApp($hub);
    }

    private function createOrder(array $order = []): array
    {
        return $this->mock->control('POST', 'orders', $order);
    }

    private function emit(string $type, string $orderId, array $event = []): array
    {
        return $this->mock->control('POST', 'events', ['eventType' => $type, 'orderId' => $orderId] + $event);
    }

    private function requestsTo(string $endpoint): array
    {
        $journal = $this->mock->control('GET', 'requests');
        return array_values(array_filter($journal, fn ($entry) => ($entry['endpoint'] ?? '') === $endpoint));
    }

    public function test_01_create(): void
    {
        $this->createOrder(['displayId' => '42', 'type' => 'TAKEOUT']);
        $this->app->turn();
        same(['42'], $this->app->printed);
    }

    public function test_02_confirm(): void
    {
        $orderId = $this->createOrder()['orderId'];
        $this->app->turn();
        $this->app->turn(); // the hub says that the order is confirmed in the next poll
        same('CONFIRMED', $this->app->stage($orderId));
        $this->mock->sleep(11 * MINUTE); // an unanswered order would be a violation now
    }

    public function test_03_lost_acknowledgment(): void
    {
        // `lost`: the hub processes the request and its response is lost; `reset`: it processes nothing.
        foreach (['lost' => 1, 'reset' => 2] as $fault => $number) {
            $this->createOrder();
            $this->mock->control('POST', 'faults', ['endpoint' => 'acknowledgment', 'fault' => $fault]);
            $this->app->turn();
            $this->app->turn();
            same($number, count($this->app->printed), $fault);
        }
    }

    // #region rate-limit
    public function test_04_rate_limit(): void
    {
        $fault = ['status' => 429, 'headers' => ['retry-after' => '90']];
        $this->mock->control('POST', 'faults', ['endpoint' => 'polling', 'fault' => $fault]);
        $this->createOrder();
        $this->app->turn();
        [$first, $second] = $this->requestsTo('polling');
        same([429, 200], [$first['status'], $second['status']]);
        same(true, $second['at'] - $first['at'] >= 90_000, 'the wait is long enough, which');
        same(1, count($this->app->printed));
    }
    // #endregion

    public function test_05_expired_token(): void
    {
        $this->app->turn();
        $this->mock->sleep(8 * DAY); // expired, as the application knows
        $this->createOrder();
        $this->app->turn();
        $this->mock->control('DELETE', 'tokens'); // revoked: the application learns it from a 401
        $this->createOrder();
        $this->app->turn();
        same(2, count($this->app->printed));
        same(3, count($this->requestsTo('token')));
        same([204, 200, 401, 200], array_column($this->requestsTo('polling'), 'status'));
    }

    public function test_06_cancellation(): void
    {
        $orderId = $this->createOrder()['orderId'];
        $this->app->turn();
        $this->emit('ORDER_CANCELLATION_REQUEST', $orderId, ['metadata' => ['reason' => 'Wrong address']]);
        $this->app->turn();
        $this->app->turn();
        same('CANCELLED', $this->app->stage($orderId));
        $this->mock->sleep(11 * MINUTE); // an unanswered request would be a violation now
    }

    public function test_07_duplicate(): void
    {
        $event = $this->createOrder()['event'];
        $this->app->turn();
        $this->mock->control('POST', 'redeliveries', ['eventId' => $event['eventId']]);
        $this->app->turn();
        same(1, count($this->app->printed));
        same(1, count($this->requestsTo('orderStatus')));
    }

    public function test_08_late_event(): void
    {
        $orderId = $this->createOrder()['orderId'];
        $this->app->turn();
        $this->emit('DISPATCHED', $orderId);
        $this->app->turn();
        $this->emit('PREPARING', $orderId, ['createdAt' => '2026-01-01T00:00:00Z']);
        $this->app->turn();
        same('DISPATCHED', $this->app->stage($orderId));
    }

    public function test_09_menu_change(): void
    {
        $merchant = $this->mock->control('GET', 'merchant');
        $before = $this->app->prices();
        $offer = &$merchant['itemOffers'][0];
        $offer['price']['value'] += 10;
        $this->mock->control('PATCH', 'merchant', ['itemOffers' => $merchant['itemOffers']]);
        same($before, $this->app->prices());
        same(1, count($this->requestsTo('merchant')));
        $this->mock->sleep($merchant['TTL']);
        $name = array_column($merchant['items'], 'name', 'id')[$offer['itemId']];
        same([$name => $before[$name] + 10], array_diff_assoc($this->app->prices(), $before));
    }

    public function test_10_closed_store(): void
    {
        $ttl = $this->mock->control('GET', 'merchant')['TTL'];
        same(true, $this->app->prices() !== [], 'that the store is open');
        $this->mock->control('PATCH', 'merchant', ['status' => 'UNAVAILABLE']);
        $this->mock->sleep($ttl);
        same([], $this->app->prices());
        $this->mock->control('PATCH', 'merchant', ['status' => 'AVAILABLE']);
        $this->mock->sleep($ttl);
        same(true, $this->app->prices() !== [], 'that the store is open again');
    }

    public function test_11_two_stores(): void
    {
        $store = ['clientId' => '2002', 'clientSecret' => 'other secret', 'apiKey' => 'other key'];
        $second = $this->appOf($this->mock->control('POST', 'stores', $store));
        $this->createOrder(['displayId' => '1']);
        $this->createOrder(['displayId' => '2', 'clientId' => '2002']);
        $this->app->turn();
        $second->turn(); // at the same time: each store has its own limits
        same([['1'], ['2']], [$this->app->printed, $second->printed]);
    }

    public function test_12_reset(): void
    {
        $this->createOrder();
        $this->app->turn();
        $this->createOrder();
        $this->mock->control('PATCH', 'merchant', ['status' => 'UNAVAILABLE']);
        $this->mock->control('PUT', 'faults', ['seed' => 7, 'rate' => 1]);
        $this->mock->control('POST', 'reset');
        same([], $this->mock->control('GET', 'requests'));
        same('AVAILABLE', $this->mock->control('GET', 'merchant')['status']);
        $this->createOrder(['displayId' => 'after']);
        $this->app->turn(); // the hub does not know its token any more
        same(['after'], array_slice($this->app->printed, 1));
    }
}

$mock = new MockHub();
register_shutdown_function([$mock, 'close']);
$failed = 0;
foreach (get_class_methods(OrderingAppTest::class) as $name) {
    if (!str_starts_with($name, 'test_') || !in_array($argv[1] ?? $name, [$name], true)) {
        continue;
    }
    try {
        $test = new OrderingAppTest($mock);
        $test->$name();
        $test->finish();
        echo "$name ... ok\n";
    } catch (Throwable $error) {
        echo "$name ... FAILED: {$error->getMessage()} (line {$error->getTrace()[0]['line']})\n";
        $failed += 1;
    }
}
exit($failed > 0 ? 1 : 0);
