import { type Profiler, Session } from 'node:inspector';
import { pathToFileURL } from 'node:url';

/** What was called of the compiled sources. Functions without a name count only as part of their file. */
export interface Path {
  readonly files: number;
  readonly functions: number;
  /** Of the functions. */
  readonly calls: number;
  /** One line for each file: `http/exchange.js: run 1, methodOf 2`. */
  readonly list: readonly string[];
}

/** Counts the calls of the compiled sources in this process, by the coverage of V8. */
export class CallCounter {
  readonly #session = new Session();
  readonly #sources: string;

  /** @param sources - the folder of the compiled sources. `testing/` in it is left out: it is on no path of a client. */
  constructor(sources: string) {
    this.#sources = `${pathToFileURL(sources)}/`;
  }

  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  stop(): void {
    this.#session.disconnect();
  }

  /** What was called since the last `take`. */
  take(): Path {
    const files = this.#coverage()
      .map(({ url, functions }) => ({ file: this.#nameOf(url), called: functions.filter(isCalled) }))
      .filter(({ file, called }) => file && !file.startsWith('testing/') && called.length > 0);
    const named = files.flatMap(({ called }) => called.filter(({ functionName }) => functionName));
    return {
      files: files.length,
      functions: named.length,
      calls: named.reduce((sum, each) => sum + callsOf(each), 0),
      list: files.map(({ file, called }) => `${file}: ${called.map(described).join(', ')}`).sort(),
    };
  }

  #coverage(): Profiler.ScriptCoverage[] {
    let coverage: Profiler.ScriptCoverage[] = [];
    // A session with its own thread calls back before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      coverage = result;
    });
    return coverage;
  }

  #nameOf(url: string): string | undefined {
    return url.startsWith(this.#sources) ? url.slice(this.#sources.length) : undefined;
  }
}

/** How V8 lists the fields of a class as a function. */
const FIELDS = /_initializer>$/;

const callsOf = ({ ranges }: Profiler.FunctionCoverage) => ranges[0]?.count ?? 0;
const isCalled = (each: Profiler.FunctionCoverage) => callsOf(each) > 0 && !FIELDS.test(each.functionName);
const described = (each: Profiler.FunctionCoverage) => `${each.functionName || '(no name)'} ${callsOf(each)}`;
