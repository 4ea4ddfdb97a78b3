import { formatCount, formatDuration, formatTimeOfDay } from '../format.js';
import { type Colour, cut, paint, Styled, styled, wrap } from '../styled.js';
import type { Terminal } from '../terminal.js';
import type { Snapshot, StoreRow } from './snapshot.js';

interface Column {
  readonly title: string;
  /** Of the longest value. */
  readonly width: number;
  /** Left out if the terminal has fewer columns. */
  readonly from: number;
  readonly value: (row: StoreRow, now: number) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'status', width: 11, from: 0, value: ({ status }) => status },
  { title: 'polled ago', width: 11, from: 0, value: ({ lastPolledAt }, now) => ago(lastPolledAt, now) },
  { title: 'next in', width: 11, from: 100, value: ({ nextPollAt }, now) => ahead(nextPollAt, now) },
  { title: 'failed', width: 6, from: 0, value: ({ failures }) => number(failures) },
  { title: 'open', width: 5, from: 0, value: ({ unacknowledged }) => number(unacknowledged) },
  { title: 'open for', width: 11, from: 120, value: ({ oldestOpenMs }) => duration(oldestOpenMs) },
  { title: 'running', width: 7, from: 100, value: ({ running }) => number(running) },
  { title: 'handled', width: 8, from: 120, value: ({ handled }) => number(handled) },
];

const COLOURS: Readonly<Partial<Record<StoreRow['status'], Colour>>> = {
  refused: 'red',
  'backing off': 'yellow',
  standby: 'dim',
  idle: 'dim',
  running: 'green',
};

/** The stores that need attention first; `failing` and `late` stores have any of the statuses. */
const RANKS = [
  'failing',
  'late',
  'backing off',
  'refused',
  'unknown',
  'stopping',
  'starting',
  'paused',
  'running',
  'idle',
  'standby',
] as const;

/** Stores of which a poll is expected. */
const POLLED: ReadonlySet<StoreRow['status']> = new Set(['starting', 'running', 'backing off']);

/** Orders of a healthy store wait for one interval at most; the usual one is half of this. */
const LATE_MS = 60_000;

const GAP = '  ';
const LONGEST_STORE_ID = 32;
const SHORTEST_STORE_ID = 8;
/** A narrower error says nothing, and is left out. */
const SHORTEST_ERROR = 16;

interface Frame {
  readonly terminal: Terminal;
  readonly url: string;
  /** Epoch ms of the snapshot. */
  readonly at: number;
  readonly now: number;
  /** Infinity if the output is not a terminal. */
  readonly columns: number;
  readonly rows: number;
  /** Why the last try to read it failed. */
  readonly failure: string | undefined;
}

/** The lines of the view: totals, then as many stores as there is room for, those that need attention first. */
export function viewOf(snapshot: Snapshot, frame: Frame): (string | Styled)[] {
  const head = headOf(snapshot, frame);
  const rows = frame.rows - head.length - 2;
  const sorted = byUrgency(snapshot.stores, frame.now);
  const shown = sorted.length > rows ? sorted.slice(0, Math.max(0, rows - 1)) : sorted;
  const left = sorted.length - shown.length;
  const columns = COLUMNS.filter(({ from }) => frame.columns >= from);
  const others = columns.reduce((sum, { width }) => sum + width + GAP.length, GAP.length);
  const room = Math.max(SHORTEST_STORE_ID, frame.columns - others - SHORTEST_ERROR);
  const longest = Math.min(room, LONGEST_STORE_ID);
  const storeWidth = Math.max(5, ...shown.map(({ storeId }) => Math.min([...storeId].length, longest)));
  const errorWidth = Math.min(frame.columns - others - storeWidth, 200);
  const titles = columns.map(({ title, width }) => title.padEnd(width));
  if (errorWidth >= SHORTEST_ERROR) titles.push('last error');
  return [
    ...head,
    '',
    paint('bold', ['store'.padEnd(storeWidth), ...titles].join(GAP)),
    ...shown.map((row) => lineOf(row, columns, storeWidth, errorWidth, frame)),
    ...(left > 0 ? [paint('dim', `… and ${formatCount(left, 'more store')}`)] : []),
  ];
}

function headOf({ fleet, stores }: Snapshot, { url, at, columns, failure }: Frame): (string | Styled)[] {
  const alarming = (count: number, text: string, colour: Colour) =>
    count > 0 ? paint(colour, `${count} ${text}`) : new Styled([{ text: `${count} ${text}` }]);
  const oldest =
    fleet.oldestOpenMs > 0
      ? `, the oldest for ${formatDuration(fleet.oldestOpenMs)}${of(fleet.oldestOpenStoreId)}`
      : '';
  return [
    styled`${paint('bold', 'opendelivery top')}  ${url}  ${formatTimeOfDay(at)}`,
    styled`${formatCount(fleet.stores, 'store')}: ${fleet.polling} polling, ${alarming(fleet.backingOff, 'backing off', 'yellow')}, ${alarming(fleet.refused, 'refused', 'red')}, ${fleet.standby} on standby`,
    `oldest poll ${formatDuration(fleet.oldestPollMs)} ago${of(fleet.oldestPollStoreId)}, newest ${formatDuration(fleet.newestPollMs)} ago, ${formatCount(fleet.running, 'listener')} running, ${formatCount(fleet.unacknowledged, 'event')} open${oldest}`,
    // Its end says why, which matters most.
    ...(failure === undefined ? [] : wrap(paint('red', failure), columns)),
    ...(stores.length === 0 && fleet.stores > 0
      ? [paint('dim', 'the application does not publish its stores')]
      : []),
  ];
}

function lineOf(
  row: StoreRow,
  columns: readonly Column[],
  storeWidth: number,
  errorWidth: number,
  { terminal, now }: Frame,
): Styled {
  // `truncate` adds an ellipsis to a text that it cuts.
  const cell = (text: string, width: number) =>
    cut(new Styled([{ text: terminal.truncate(text, width) }]), width)
      .toString()
      .padEnd(width);
  const parts = columns.map(({ value, width, title }) => {
    const text = cell(value(row, now), width);
    const colour = title === 'status' ? COLOURS[row.status] : undefined;
    return { text: `${GAP}${text}`, ...(colour && { colour }) };
  });
  const error =
    errorWidth >= SHORTEST_ERROR && row.error !== '' ? `${GAP}${cell(row.error, errorWidth).trimEnd()}` : '';
  return new Styled([{ text: cell(row.storeId, storeWidth) }, ...parts, { text: error }]);
}

/** Those with the same rank: the one whose orders may have waited for the longest time first. */
function byUrgency(stores: readonly StoreRow[], now: number): StoreRow[] {
  const ranked = stores.map((row) => {
    const waitMs = waitMsOf(row, now);
    return { row, waitMs, rank: RANKS.indexOf(rankOf(row, waitMs)) };
  });
  return ranked.sort((a, b) => a.rank - b.rank || b.waitMs - a.waitMs).map(({ row }) => row);
}

function rankOf({ status, isFailing }: StoreRow, waitMs: number): (typeof RANKS)[number] {
  if (isFailing && status !== 'standby') return 'failing';
  return waitMs > LATE_MS ? 'late' : status;
}

/** Since the last good poll of a store that is polled, or since its oldest open event was received. */
function waitMsOf({ status, lastPolledAt, oldestOpenMs }: StoreRow, now: number): number {
  // The process that polls it handles its events.
  if (status === 'standby') return 0;
  return Math.max(oldestOpenMs, POLLED.has(status) && lastPolledAt !== undefined ? now - lastPolledAt : 0);
}

const of = (storeId: string | undefined) => (storeId === undefined ? '' : ` (${storeId})`);
const duration = (ms: number) => (ms === 0 ? '' : formatDuration(ms));
const number = (value: number) => (value === 0 ? '' : String(value));
const ago = (at: number | undefined, now: number) =>
  at === undefined ? 'never' : formatDuration(Math.max(0, now - at));
const ahead = (at: number | undefined, now: number) =>
  at === undefined ? '' : formatDuration(Math.max(0, at - now));
