<?php

declare(strict_types=1);

require_once __DIR__ . '/ordering-app.php';

/**
 * Starts `opendelivery mock` and controls it over HTTP.
 *
 * It is also a clock for the application: `sleep` advances the clock of the mock hub and returns at once.
 */
final class MockHub implements Clock
{
    public string $url;
    private $process;
    private string $log;

    // #region start
    public function __construct()
    {
        // `npm install --save-dev opendelivery-client` installs it. `exec`: or the shell receives the signal that ends it.
        $command = 'exec ' . (getenv('OPENDELIVERY') ?: 'node_modules/.bin/opendelivery') . ' mock --port 0 --scale 0';
        // Into a file: nobody reads a pipe while the tests run, and when it is full the mock hub stops.
        $this->log = tempnam(sys_get_temp_dir(), 'mock-hub-');
        $this->process = proc_open($command, [1 => ['file', $this->log, 'w'], 2 => ['file', $this->log, 'a']], $pipes);
        do {
            usleep(20_000);
            $output = file_get_contents($this->log);
            if (!proc_get_status($this->process)['running']) {
                throw new RuntimeException("the mock hub did not start: $output");
            }
        } while (!preg_match('~HUB_BASE_URL=(\S+)\n.*control it:~s', $output, $found));
        $this->url = $found[1];
    }
    // #endregion

    public function close(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
        unlink($this->log);
    }

    /** Sends a request to /_mock/; `GET /_mock/` lists them all. */
    public function control(string $method, string $path, ?array $body = null): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => 'content-type: application/json',
            'content' => $body === null ? '' : json_encode((object) $body),
            'ignore_errors' => true,
        ]]);
        $stream = fopen("$this->url/_mock/$path", 'r', false, $context);
        $response = json_decode(stream_get_contents($stream), true);
        if (!preg_match('~ 20\d ~', stream_get_meta_data($stream)['wrapper_data'][0])) {
            throw new RuntimeException($response['title']);
        }
        return $response;
    }

    // #region clock
    public function time(): float
    {
        return $this->control('GET', 'clock')['now'] / 1000;
    }

    public function sleep(float $seconds): void
    {
        $this->control('POST', 'clock', ['advance' => $seconds * 1000]);
    }
    // #endregion
}
