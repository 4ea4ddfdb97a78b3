import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../../../endpoints.js';
import { formatCount } from '../../format.js';
import { escaped, htmlPage } from '../../markup.js';
import type { Finding, Report } from './report.js';
import { STYLE } from './style.js';

/** See `htmlPage`. */
export function htmlOf(report: Report): string {
  const { hub, at, summary } = report;
  const when = `${at.slice(0, 16).replace('T', ' ')} UTC`;
  return htmlPage(
    `Report on ${hub}`,
    STYLE,
    `<header>
<h1>Report on ${escaped(hub)}</h1>
<p><time datetime="${at}">${when}</time>. How this hub behaves, beside the OpenDelivery standard v1.7.0 and the spec of the Order Integration Service. No credential and no data of a customer or store is in this file.</p>
<ul class="summary">
<li class="differs"><b>${summary.differs}</b> ${summary.differs === 1 ? 'differs' : 'differ'}</li>
<li class="as_described"><b>${summary.as_described}</b> as described</li>
<li class="not_seen"><b>${summary.not_seen}</b> not seen</li>
</ul>
</header>
<main>
${differencesHtml(report)}
${ENDPOINT_NAMES.map((endpoint) => endpointHtml(report, endpoint)).join('\n')}
${requestsHtml(report)}
</main>
<footer><p>Made by <code>opendelivery doctor --report html</code>. “Not seen”: the examination had no response that could show it.</p></footer>`,
  );
}

/** The differences alone, each with a link to its row: what the reader came for. */
function differencesHtml({ checks }: Report): string {
  const different = checks.filter(({ result }) => result === 'differs');
  if (different.length === 0)
    return '<p class="none">Nothing that was seen differs from what is described.</p>';
  const items = different.map(
    ({ id, endpoint, title, hub }) =>
      `<li><a href="#${id}">${endpoint}: ${escaped(title)}</a>: ${escaped(shortened(hub))}</li>`,
  );
  return `<section aria-labelledby="differences"><h2 id="differences">What differs</h2>\n<ol class="differences">${items.join('\n')}</ol></section>`;
}

const MAX_LINES = 3;

/** The row has all of it. */
function shortened(hub: readonly string[]): string {
  const more = hub.length - MAX_LINES;
  return [...hub.slice(0, MAX_LINES), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function endpointHtml({ checks, endpoints }: Report, endpoint: EndpointName): string {
  const { method, path, section } = ENDPOINTS[endpoint];
  const { result, errorCode } = endpoints[endpoint] ?? { result: 'skipped' };
  const error = errorCode === undefined ? '' : ` (${errorCode})`;
  const rows = checks.filter((check) => check.endpoint === endpoint).map(rowHtml);
  return `<section aria-labelledby="${endpoint}">
<h2 id="${endpoint}">${endpoint} <code>${method} ${escaped(path)}</code></h2>
<p>Spec ${section}. The client's request: ${WORDS[result]}${escaped(error)}.</p>
<table>
<thead><tr><th scope="col">What</th><th scope="col">Standard</th><th scope="col">Spec</th><th scope="col">This hub</th><th scope="col">The client</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</section>`;
}

const WORDS = {
  ok: 'successful',
  failed: 'failed',
  busy: 'not sent, its limit was used up',
  skipped: 'not sent',
};

const MARKS = { differs: 'differs', as_described: 'as described', not_seen: 'not seen' };

function rowHtml({ id, title, section, standard, spec, client, result, hub }: Finding): string {
  const cell = (label: string, text: string) => `<td data-label="${label}">${escaped(text)}</td>`;
  const did = hub.map((line) => `<span>${escaped(line)}</span>`).join('');
  return `<tr id="${id}" class="${result}"><th scope="row">${escaped(title)} <small>${section}</small></th>${cell('Standard', standard)}${cell('Spec', spec)}<td data-label="This hub"><b class="mark">${MARKS[result]}</b>${did}</td>${cell('The client', client)}</tr>`;
}

function requestsHtml({ requests: { sent, keptLimits, byEndpoint } }: Report): string {
  const rows = byEndpoint.map(
    ({ endpoint, sent: count, limit, windowMs, mostInWindow }) =>
      `<tr><th scope="row">${endpoint}</th><td data-label="Sent">${count}</td><td data-label="Most in a window">${mostInWindow}</td><td data-label="Allowed">${limit} per ${windowMs === 3_600_000 ? 'hour' : 'minute'}</td></tr>`,
  );
  const kept = keptLimits ? 'kept every limit of the spec' : 'did not keep every limit of the spec';
  return `<section aria-labelledby="requests">
<h2 id="requests">Requests</h2>
<p>The examination sent ${formatCount(sent, 'request')} and ${kept}. It acknowledged no event and changed no order: commands and acknowledgments had random ids.</p>
<table class="requests">
<thead><tr><th scope="col">Endpoint</th><th scope="col">Sent</th><th scope="col">Most in a window</th><th scope="col">Allowed</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table>
</section>`;
}
