import { html } from 'hono/html';
import type { CommandHistory, EventHistory } from 'opendelivery-client/sql';
import { dayAndSecond } from './formats.js';
import type { Click, OrderBook } from './order-book.js';
import { type Html, joined } from './order-parts.js';
import { COMMAND_STATUS, commandName, EVENT_STATUS, eventName } from './texts.js';

/** A row of the history: what came or was sent, and what became of it. */
interface Step {
  readonly at: string;
  readonly name: string | undefined;
  readonly attempts: number;
  readonly result: string;
  readonly resultAt: string | undefined;
}

/** The page of one order: its events, and its commands, with their instants. */
export function historyPage(
  displayId: string,
  { events, commands, clicks }: Awaited<ReturnType<OrderBook['history']>>,
): Html {
  const steps = [...events.map(stepOfEvent), ...commands.map(stepOfCommand), ...clicks.map(stepOfClick)];
  // Of two at one instant, the event came first, and the command follows from it.
  steps.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
  return html`<!doctype html>
    <html lang="pt-BR">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Histórico do pedido ${displayId}</title>
        <link rel="icon" href="/icon.svg" />
        <link rel="stylesheet" href="/page.css" />
      </head>
      <body>
        <h1>Histórico do pedido ${displayId}</h1>
        <table>
          <thead>
            <tr><th scope="col">Quando</th><th scope="col">O quê</th><th scope="col">Vezes</th><th scope="col">Resultado</th></tr>
          </thead>
          <tbody>${steps.map(row)}</tbody>
        </table>
      </body>
    </html>`;
}

const row = ({ at, name, attempts, result, resultAt }: Step) => html`<tr>
  <td><time datetime="${at}">${dayAndSecond(at)}</time></td>
  <td>${name}</td>
  <td>${attempts}</td>
  <td>${result}${resultAt && html` <time datetime="${resultAt}">${dayAndSecond(resultAt)}</time>`}</td>
</tr>`;

/** The instant that belongs to a status. */
const statusAt = ({ status, startedAt, failedAt, handledAt }: EventHistory) =>
  status === 'running' ? startedAt : status === 'failed' || status === 'dead' ? failedAt : handledAt;

const stepOfEvent = (event: EventHistory): Step => ({
  at: event.receivedAt,
  name: joined(' ', 'Evento:', eventName(event.eventType)),
  attempts: event.attempts,
  result: joined(' ', EVENT_STATUS[event.status], event.status === 'handled' ? '' : named(event.error)),
  resultAt: statusAt(event),
});

const stepOfCommand = ({ command, status, attempts, createdAt, ...sent }: CommandHistory): Step => ({
  at: createdAt,
  name: joined(' ', 'Comando automático:', commandName(command)),
  attempts,
  result: joined(
    ' ',
    sent.outcome === 'unknown' ? 'Sem resposta do hub' : COMMAND_STATUS[status],
    status === 'sent' ? '' : named(sent.error),
  ),
  resultAt: sent.answeredAt,
});

const stepOfClick = ({ command, sentAt, answeredAt, problem }: Click): Step => ({
  at: new Date(sentAt).toISOString(),
  name: joined(' ', 'Comando:', commandName(command)),
  attempts: 1,
  result: problem ?? (answeredAt === null ? COMMAND_STATUS.sending : COMMAND_STATUS.sent),
  resultAt: answeredAt === null ? undefined : new Date(answeredAt).toISOString(),
});

const named = (error: string | undefined) => error && `(${error})`;
