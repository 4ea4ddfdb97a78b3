import { ConfigurationError } from '../errors/index.js';
import type { Outbox } from './inbox.js';

/** A command that `commit` has recorded. */
export interface RecordedCommand {
  readonly orderId: string;
  readonly command: string;
  /** As JSON. */
  readonly body: string | null;
}

/** An outbox, what is recorded with it, and the end of that: a command that comes later would be lost. */
export function recorder(): {
  readonly outbox: Outbox;
  readonly commands: readonly RecordedCommand[];
  readonly end: () => void;
} {
  const commands: RecordedCommand[] = [];
  let isOver = false;
  const updateStatus = (orderId: string, status: string, body?: object) => {
    if (isOver)
      throw new ConfigurationError('outbox', 'was used after commit had ended; await everything inside');
    commands.push({ orderId: text('orderId', orderId), command: text('status', status), body: json(body) });
  };
  const command = (status: string) => (orderId: string, body?: object) => updateStatus(orderId, status, body);
  const outbox: Outbox = {
    updateStatus,
    confirm: command('confirm'),
    preparing: command('preparing'),
    readyForPickup: command('readyForPickup'),
    dispatch: command('dispatch'),
    pickedUp: command('pickedUp'),
    delivered: command('delivered'),
    requestCancellation: command('requestCancellation'),
    acceptCancellation: command('acceptCancellation'),
    denyCancellation: command('denyCancellation'),
    tracking: command('tracking'),
    details: command('details'),
  };
  const end = () => {
    isOver = true;
  };
  return { outbox, commands, end };
}

/** Found before it is used: when a command is sent, the transaction is committed. */
export function text(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new ConfigurationError(name, 'must be a string that is not empty');
}

function json(body: unknown): string | null {
  if (body === undefined) return null;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return JSON.stringify(body);
  throw new ConfigurationError('body', 'must be an object');
}
