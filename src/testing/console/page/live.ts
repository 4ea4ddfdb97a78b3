import type { WireAbout, WireMessage, WireRow, WireSummary, WireTime } from '../wire.js';

/** What the hub has sent so far for the section that is shown. */
export interface Live {
  time: WireTime;
  /** When `time` arrived, by this browser's clock. */
  timeAt: number;
  summary: WireSummary;
  about: WireAbout;
  rows: WireRow[];
}

export const live: Live = {
  time: { now: 0, monotonic: 0, speed: 0, kind: 'system' },
  timeAt: 0,
  summary: { stores: [], requests: 0, violations: 0, faults: { next: [] } },
  about: { total: 0 },
  rows: [],
};

const sinceMessage = () => (performance.now() - live.timeAt) * live.time.speed;

/** The hub's monotonic time now. */
export const monotonic = (): number => live.time.monotonic + sinceMessage();

/** The hub's wall time now, in epoch ms. */
export const now = (): number => live.time.now + sinceMessage();

let source: EventSource | undefined;
let rows = new Map<string, WireRow>();

export interface Listener {
  changed(): void;
  connected(is: boolean): void;
}

/** Connects to the stream of a section; the connection before it ends. */
export function connect(query: Readonly<Record<string, string>>, { changed, connected }: Listener): void {
  disconnect();
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  source = new EventSource(`/_mock/ui/stream?${parameters}`);
  // The first message of each connection, also of one that the browser has repeated, contains everything.
  source.onopen = () => {
    rows = new Map();
    // A hub that was started again may have none to send.
    live.rows = [];
    connected(true);
  };
  source.onerror = () => connected(false);
  source.onmessage = ({ data }: MessageEvent<string>) => {
    apply(JSON.parse(data) as WireMessage);
    changed();
  };
}

export function disconnect(): void {
  source?.close();
  rows = new Map();
  live.rows = [];
  live.about = { total: 0 };
}

function apply({ time, summary, about, set = [], gone = [] }: WireMessage): void {
  live.time = time;
  live.timeAt = performance.now();
  if (summary) live.summary = summary;
  if (about) live.about = about;
  if (set.length === 0 && gone.length === 0) return;
  for (const key of gone) rows.delete(key);
  for (const row of set) rows.set(row.key, row);
  live.rows = [...rows.values()].sort((one, other) => other.rank - one.rank);
}
