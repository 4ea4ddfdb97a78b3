<?php

declare(strict_types=1);

/**
 * A small ordering application: it receives a store's orders, confirms them and follows them.
 *
 * PHP 8.0 or newer, without packages and extensions.
 */

/** In production the clock of the machine, in tests the clock of the mock hub. */
interface Clock
{
    public function time(): float;

    public function sleep(float $seconds): void;
}

final class SystemClock implements Clock
{
    public function time(): float
    {
        return microtime(true);
    }

    public function sleep(float $seconds): void
    {
        usleep((int) ceil($seconds * 1_000_000));
    }
}

/** The hub refused a request; the code is its HTTP status. */
final class HubError extends RuntimeException
{
}

/** The connection broke, so it is not known whether the hub has processed the request. */
final class ConnectionBroken extends RuntimeException
{
}

/** The requests of one store. */
final class Hub
{
    private const POLLING = '/v1/events:polling';
    private const POLL_INTERVAL = 30; // the hub allows two polls a minute
    private const RENEW_BEFORE = 60; // seconds before the token expires
    private const ATTEMPTS = 4;

    private string $baseUrl;
    private ?string $token = null;
    private float $tokenExpiresAt = 0;
    private float $nextPollAt = 0;
    private array $merchant = [];
    private float $merchantExpiresAt = 0;

    public function __construct(
        string $baseUrl,
        private string $clientId,
        private string $clientSecret,
        private string $apiKey,
        private Clock $clock = new SystemClock(),
    ) {
        $this->baseUrl = $baseUrl . '/opendelivery';
    }

    /** The pending events. Waits until the hub allows the next poll. */
    public function poll(): array
    {
        return $this->authorized('GET', self::POLLING) ?? [];
    }

    /** Confirms events, at most 100 per request. Repeating it is harmless. */
    public function acknowledge(array $events): void
    {
        $items = array_map(
            fn ($event) => ['id' => $event['eventId'], 'orderId' => $event['orderId'], 'eventType' => $event['eventType']],
            $events,
        );
        foreach (array_chunk($items, 100) as $batch) {
            $this->authorized('POST', '/v1/events/acknowledgment', $batch);
        }
    }

    public function order(string $orderId): array
    {
        return $this->authorized('GET', '/v1/orders/' . rawurlencode($orderId));
    }

    /** Changes an order. If the connection breaks, the result is unknown, so it is not sent again. */
    public function command(string $orderId, string $command, ?array $body = null): void
    {
        try {
            $this->authorized('POST', '/v1/orders/' . rawurlencode($orderId) . "/$command", $body, 1);
        } catch (HubError $error) {
            if ($error->getCode() !== 422) { // the order is already there
                throw $error;
            }
        }
    }

    /** The store and its menu. It is requested again when its TTL is over. */
    public function merchant(): array
    {
        if ($this->clock->time() >= $this->merchantExpiresAt) {
            $this->merchant = $this->request('GET', '/v1/merchant', ["x-api-key: $this->apiKey"]);
            $ttl = min(max($this->merchant['TTL'] ?? 500, 500), 86400);
            $this->merchantExpiresAt = $this->clock->time() + $ttl;
        }
        return $this->merchant;
    }

    private function authorized(string $method, string $path, ?array $body = null, int $attempts = self::ATTEMPTS): ?array
    {
        $json = $body === null ? null : json_encode($body);
        try {
            return $this->request($method, $path, [$this->bearer()], $json, 'application/json', $attempts);
        } catch (HubError $error) {
            if ($error->getCode() !== 401) {
                throw $error;
            }
        }
        $this->token = null; // revoked, or expired by the hub's clock: one new token, one more request
        return $this->request($method, $path, [$this->bearer()], $json, 'application/json', $attempts);
    }

    private function bearer(): string
    {
        if ($this->token === null || $this->clock->time() >= $this->tokenExpiresAt - self::RENEW_BEFORE) {
            $form = http_build_query([
                'client_id' => $this->clientId,
                'client_secret' => $this->clientSecret,
                'grant_type' => 'client_credentials',
            ]);
            $response = $this->request('POST', '/oauth/token', [], $form, 'application/x-www-form-urlencoded');
            $this->token = $response['access_token'];
            $this->tokenExpiresAt = $this->clock->time() + (float) ($response['expires_in'] ?? 3600);
        }
        return "authorization: Bearer $this->token";
    }

    private function request(
        string $method,
        string $path,
        array $headers,
        ?string $body = null,
        string $type = '',
        int $attempts = self::ATTEMPTS,
    ): ?array {
        for ($attempt = 1; ; $attempt += 1) {
            if ($path === self::POLLING) {
                $this->waitForNextPoll(); // a repeated poll counts too
            }
            [$status, $retryAfter, $text] = self::exchange($method, $this->baseUrl . $path, $headers, $body, $type);
            if ($path === self::POLLING) { // after the response: it may have been slow on its way to the hub
                $this->nextPollAt = $this->clock->time() + self::POLL_INTERVAL;
            }
            if ($status >= 200 && $status < 300) {
                return $text === '' ? null : json_decode($text, true, 512, JSON_THROW_ON_ERROR);
            }
            if ($status === 429 && $attempt < self::ATTEMPTS) {
                $this->clock->sleep((float) ($retryAfter ?? 60)); // in seconds here; a hub may also send a date
            } elseif ($status !== 0 && $status < 500 || $attempt >= $attempts) {
                throw $status === 0
                    ? new ConnectionBroken("no response to $method $path")
                    : new HubError("the hub responded with $status: " . substr($text, 0, 200), $status);
            } else {
                $this->clock->sleep(2 ** $attempt);
            }
        }
    }

    private function waitForNextPoll(): void
    {
        $wait = $this->nextPollAt - $this->clock->time();
        if ($wait > 0) {
            $this->clock->sleep($wait);
        }
    }

    /** @return array{int, ?string, string} status (0: the connection broke), Retry-After, body. */
    private static function exchange(string $method, string $url, array $headers, ?string $body, string $type): array
    {
        if ($body !== null) {
            $headers[] = "content-type: $type";
        }
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => $headers,
            'content' => $body ?? '',
            'timeout' => 30,
            'ignore_errors' => true, // return the body of an error response too
            'follow_location' => 0, // or another host receives the credentials
        ]]);
        $stream = @fopen($url, 'r', false, $context);
        if ($stream === false) {
            return [0, null, ''];
        }
        $lines = stream_get_meta_data($stream)['wrapper_data'];
        $retryAfter = preg_replace('~^retry-after: *~i', '', preg_grep('~^retry-after:~i', $lines));
        $status = (int) explode(' ', $lines[0])[1];
        return [$status, array_values($retryAfter)[0] ?? null, stream_get_contents($stream)];
    }
}

/** What the store sees. Keep `$orders` and `$handled` in a database: they must survive a restart. */
final class OrderingApp
{
    /** An event with a lower rank than the order's stage is late: it changes nothing. */
    private const RANKS = [
        'CREATED' => 0,
        'CONFIRMED' => 1,
        'PREPARING' => 2,
        'READY_FOR_PICKUP' => 3,
        'DISPATCHED' => 4,
        'PICKED_UP' => 5,
        'DELIVERED' => 6,
        'CONCLUDED' => 7,
        'CANCELLED' => 8,
    ];

    /** Order id => ['order' => the document, 'stage' => its newest stage]. */
    public array $orders = [];
    /** Event id => true. */
    private array $handled = [];
    /** The numbers on the tickets of the kitchen. */
    public array $printed = [];

    public function __construct(private Hub $hub)
    {
    }

    /** One poll. An event is acknowledged after it was handled, never before. */
    public function turn(): void
    {
        $events = $this->hub->poll();
        $this->receive($events);
        $this->hub->acknowledge($events);
    }

    /** Handles the events of a poll or a push, each one once. */
    public function receive(array $events): void
    {
        foreach ($events as $event) {
            if (!isset($this->handled[$event['eventId']])) {
                $this->handle($event);
                $this->handled[$event['eventId']] = true;
            }
        }
    }

    private function handle(array $event): void
    {
        ['eventType' => $type, 'orderId' => $orderId] = $event;
        if (!isset($this->orders[$orderId])) {
            $order = $this->hub->order($orderId);
            $this->orders[$orderId] = ['order' => $order, 'stage' => 'CREATED'];
            $this->printed[] = $order['displayId'];
        }
        ['order' => $order, 'stage' => $stage] = $this->orders[$orderId];
        if ($type === 'CREATED') {
            $body = ['createdAt' => $order['createdAt'], 'orderExternalCode' => $orderId];
            $this->hub->command($orderId, 'confirm', $body);
        } elseif ($type === 'ORDER_CANCELLATION_REQUEST') {
            $this->answerCancellation($orderId, $stage);
        } elseif ((self::RANKS[$type] ?? -1) > self::RANKS[$stage]) {
            $this->orders[$orderId]['stage'] = $type;
        }
    }

    /** A customer can cancel until the order is ready. */
    private function answerCancellation(string $orderId, string $stage): void
    {
        if (self::RANKS[$stage] < self::RANKS['READY_FOR_PICKUP']) {
            $this->hub->command($orderId, 'acceptCancellation');
        } else {
            $body = ['reason' => 'O pedido já está pronto', 'code' => 'DISH_ALREADY_DONE'];
            $this->hub->command($orderId, 'denyCancellation', $body);
        }
    }

    public function stage(string $orderId): string
    {
        return $this->orders[$orderId]['stage'];
    }

    /** What customers can order now: the price of each item by its name. A closed store sells nothing. */
    public function prices(): array
    {
        $merchant = $this->hub->merchant();
        if (($merchant['status'] ?? '') !== 'AVAILABLE') {
            return [];
        }
        $names = array_column($merchant['items'], 'name', 'id');
        $prices = [];
        foreach ($merchant['itemOffers'] as $offer) {
            if (($offer['status'] ?? 'AVAILABLE') === 'AVAILABLE') {
                $prices[$names[$offer['itemId']]] = $offer['price']['value'];
            }
        }
        return $prices;
    }
}

/** Runs until Ctrl-C: `php ordering-app.php`. */
function main(): void
{
    [$baseUrl, $clientId, $clientSecret, $apiKey] = array_map(
        fn ($name) => getenv($name) ?: throw new RuntimeException("$name is not set"),
        ['HUB_BASE_URL', 'HUB_CLIENT_ID', 'HUB_CLIENT_SECRET', 'HUB_API_KEY'],
    );
    $app = new OrderingApp(new Hub($baseUrl, $clientId, $clientSecret, $apiKey));
    while (true) {
        $app->turn();
        foreach ($app->orders as ['order' => $order, 'stage' => $stage]) {
            echo "{$order['displayId']} $stage\n";
        }
    }
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    main();
}
