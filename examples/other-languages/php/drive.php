<?php

declare(strict_types=1);

/**
 * Runs the ordering application for a rehearsal: opendelivery certify <script> --drive http://127.0.0.1:3000/drive
 *
 * It needs the HUB_ variables that the rehearsal prints. PORT is its own port (default 3000), HUB_SCALE the `--scale`.
 */

require_once __DIR__ . '/ordering-app.php';
require_once __DIR__ . '/ticket.php';

/** The machine's clock, `$scale` times as fast. While the application waits, its drive answers requests. */
final class DrivenClock implements Clock
{
    public ?Drive $drive = null;
    private float $startedAt;

    public function __construct(private float $scale)
    {
        $this->startedAt = microtime(true);
    }

    public function time(): float
    {
        return $this->startedAt + (microtime(true) - $this->startedAt) * $this->scale;
    }

    public function sleep(float $seconds): void
    {
        $until = microtime(true) + $seconds / $this->scale;
        while (($left = $until - microtime(true)) > 0) {
            $this->drive->serve($left);
        }
    }
}

/** POST /drive: a command of an order. GET /drive/orders/<id>: its ticket. POST /drive/newEvent: a push. */
final class Drive
{
    private $server;

    public function __construct(private OrderingApp $app, private Hub $hub, private string $secret, int $port)
    {
        $this->server = stream_socket_server("tcp://127.0.0.1:$port");
    }

    /** Answers one request, if one comes within these seconds. */
    public function serve(float $seconds): void
    {
        $connection = @stream_socket_accept($this->server, $seconds);
        if ($connection === false) {
            return;
        }
        [$method, $path] = explode(' ', fgets($connection) ?: 'GET /');
        $headers = [];
        while (($line = trim(fgets($connection) ?: '')) !== '') {
            [$name, $value] = explode(':', $line, 2);
            $headers[strtolower($name)] = trim($value);
        }
        $length = (int) ($headers['content-length'] ?? 0);
        $body = $length > 0 ? stream_get_contents($connection, $length) : '';
        [$status, $text] = $this->respond($method, $path, $headers, $body);
        fwrite($connection, "HTTP/1.1 $status -\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\n\r\n$text");
        fclose($connection);
    }

    private function respond(string $method, string $path, array $headers, string $body): array
    {
        if ($method === 'GET') {
            $known = $this->app->orders[basename($path)] ?? null;
            return $known === null ? [404, ''] : [200, Ticket::of($known['order'], $known['stage'])];
        }
        try {
            return [$path === '/drive/newEvent' ? $this->pushed($headers, $body) : $this->asked($body), ''];
        } catch (HubError $error) {
            return [$error->getCode(), ''];
        } catch (Throwable $error) {
            fwrite(STDERR, $error->getMessage() . "\n");
            return [500, ''];
        }
    }

    private function asked(string $body): int
    {
        $request = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        $this->hub->command($request['orderId'], $request['action'], $request['data'] ?? null);
        return 204;
    }

    private function pushed(array $headers, string $body): int
    {
        $signature = $headers['x-app-signature'] ?? '';
        if ($signature === '') {
            return 401;
        }
        if (!hash_equals(hash_hmac('sha256', $body, $this->secret), $signature)) {
            return 403;
        }
        if (($headers['x-app-merchantid'] ?? '') !== $this->hub->merchant()['id']) {
            return 404;
        }
        $this->app->receive([json_decode($body, true, 512, JSON_THROW_ON_ERROR)]);
        return 204;
    }
}

[$url, $clientId, $secret, $apiKey] = array_map(
    fn ($name) => getenv("HUB_$name") ?: throw new RuntimeException("HUB_$name is not set"),
    ['BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'API_KEY'],
);
$clock = new DrivenClock((float) (getenv('HUB_SCALE') ?: 1));
$hub = new Hub($url, $clientId, $secret, $apiKey, $clock);
$app = new OrderingApp($hub);
$clock->drive = new Drive($app, $hub, $secret, (int) (getenv('PORT') ?: 3000));
while (true) {
    try {
        $app->turn();
    } catch (Throwable $error) { // the next poll brings what was not acknowledged
        fwrite(STDERR, $error->getMessage() . "\n");
    }
}
