import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readText } from '../docs/blocks.js';
import { isProgramMissing } from '../program-missing.js';
import { programOf } from '../programs.js';
import { temporaryDirectory } from '../temporary.js';

const SCENARIOS = [
  'create',
  'confirm',
  'lost_acknowledgment',
  'rate_limit',
  'expired_token',
  'cancellation',
  'duplicate',
  'late_event',
  'menu_change',
  'closed_store',
  'two_stores',
  'reset',
] as const;
type Scenario = (typeof SCENARIOS)[number];

/** Part of the application, and what a careless programmer would have written. */
type Mistake = readonly [correct: string, wrong: string];

interface Language {
  readonly folder: string;
  readonly program: 'python3' | 'php';
  readonly app: string;
  /** The arguments that run one test. */
  readonly argumentsFor: (test: string) => string[];
  readonly mistakes: Readonly<Record<Scenario, Mistake>>;
}

const LANGUAGES: readonly Language[] = [
  {
    folder: 'python',
    program: 'python3',
    app: 'ordering_app.py',
    argumentsFor: (test) => ['-m', 'unittest', '-v', '-k', test, 'test_ordering_app'],
    mistakes: {
      create: ['self.printed.append(order["displayId"])', 'pass'],
      confirm: ['if event_type == "CREATED":', 'if event_type == "RECEIVED":'],
      lost_acknowledgment: ['if attempt >= attempts:\n                    raise\n', 'raise\n'],
      rate_limit: ['self.clock.sleep(float(error.headers.get("retry-after", 60)))', 'pass'],
      expired_token: ['if error.status != 401:\n                raise', 'raise'],
      cancellation: ['elif event_type == "ORDER_CANCELLATION_REQUEST":', 'elif event_type == "CANCEL":'],
      duplicate: ['if event["eventId"] not in self.handled:', 'if True:'],
      late_event: ['and STAGES.index(event_type) > STAGES.index(known["stage"])', ''],
      menu_change: ['if self.clock.time() >= self._merchant_expires_at:', 'if self._merchant is None:'],
      closed_store: ['if merchant.get("status") != "AVAILABLE":', 'if False:'],
      two_stores: ['        self.client_id = client_id', '        self.client_id = "1001"'],
      reset: ['self._token = None  # revoked', 'pass  # revoked'],
    },
  },
  {
    folder: 'php',
    program: 'php',
    app: 'ordering-app.php',
    argumentsFor: (test) => ['test-ordering-app.php', test],
    mistakes: {
      create: ["$this->printed[] = $order['displayId'];", ''],
      confirm: ["if ($type === 'CREATED') {", "if ($type === 'RECEIVED') {"],
      lost_acknowledgment: ['|| $attempt >= $attempts', '|| $status === 0'],
      rate_limit: ['$this->clock->sleep((float) ($retryAfter ?? 60));', ''],
      expired_token: ['if ($error->getCode() !== 401) {', 'if (true) {'],
      cancellation: ["elseif ($type === 'ORDER_CANCELLATION_REQUEST') {", "elseif ($type === 'CANCEL') {"],
      duplicate: ["if (!isset($this->handled[$event['eventId']])) {", 'if (true) {'],
      late_event: ['(self::RANKS[$type] ?? -1) > self::RANKS[$stage]', 'isset(self::RANKS[$type])'],
      menu_change: [
        'if ($this->clock->time() >= $this->merchantExpiresAt) {',
        'if ($this->merchant === []) {',
      ],
      closed_store: ["if (($merchant['status'] ?? '') !== 'AVAILABLE') {", 'if (false) {'],
      two_stores: ["'client_id' => $this->clientId", "'client_id' => '1001'"],
      reset: ['$this->token = null; // revoked', '// revoked'],
    },
  },
];

const OPENDELIVERY = `${process.execPath} ${programOf('src/cli/index.ts')}`;

interface Result {
  readonly code: number;
  readonly output: string;
}

/** The arguments that run all tests, as the guide has them. */
function argumentsInGuide({ program }: Language): string[] {
  const [, words] = new RegExp(`^${program} (.+)$`, 'm').exec(readText('docs/other-languages.md')) ?? [];
  if (words === undefined) throw new Error(`the guide does not say how to run the tests with ${program}`);
  return words.split(' ');
}

function run({ program }: Language, folder: string, words: string[]): Promise<Result> {
  return new Promise((resolve) => {
    const env = { ...process.env, OPENDELIVERY, PYTHONDONTWRITEBYTECODE: '1' };
    const options = { cwd: folder, env, timeout: 60_000 };
    execFile(program, words, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

const folderOf = ({ folder }: Language) =>
  fileURLToPath(new URL(`../../examples/other-languages/${folder}`, import.meta.url));

const testOf = (scenario: Scenario) =>
  `test_${String(SCENARIOS.indexOf(scenario) + 1).padStart(2, '0')}_${scenario}`;

const isMissing = ({ program }: Language) => isProgramMissing(program);

describe.each(LANGUAGES)('examples/other-languages/$folder', (language) => {
  it.skipIf(isMissing(language))('passes its twelve tests', async () => {
    const { code, output } = await run(language, folderOf(language), argumentsInGuide(language));
    expect(code, output).toBe(0);
    const passed = [...output.matchAll(/^(test_\w+)\b.* \.\.\. ok$/gm)].map(([, name]) => name);
    expect(passed).toEqual(SCENARIOS.map(testOf));
    // No notice or warning of the interpreter.
    expect(output.replaceAll(/^test_.* \.\.\. ok\n/gm, '')).toMatch(
      /^(?:\n-+\nRan 12 tests in \S+\n\nOK\n)?$/,
    );
  });

  it.skipIf(isMissing(language)).concurrent.each(SCENARIOS)(
    'fails its test %s if the application is wrong',
    async (scenario) => {
      const folder = temporaryDirectory();
      cpSync(folderOf(language), folder, { recursive: true });
      const path = join(folder, language.app);
      const source = readFileSync(path, 'utf8');
      const [correct, wrong] = language.mistakes[scenario];
      expect(source.split(correct)).toHaveLength(2);
      writeFileSync(
        path,
        source.replace(correct, () => wrong),
      );
      const { code, output } = await run(language, folder, language.argumentsFor(testOf(scenario)));
      expect(output).toContain(testOf(scenario));
      expect(code, output).toBe(1);
      expect(output).not.toMatch(/SyntaxError|ParseError|syntax error/);
    },
  );
});
