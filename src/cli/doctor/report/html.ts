import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../../../hub/endpoints.js';
import { formatCount, formatWindow, shortened } from '../../format.js';
import { escaped, htmlPage, REPORT_STYLE } from '../../markup.js';
import {
  type ComparedReport,
  describeChange,
  describeRest,
  isUnexamined,
  MAX_LINES,
  sinceBaseline,
} from '../baseline.js';
import type { Finding, Report } from './report.js';

/** See `htmlPage`. */
export function htmlOf(report: ComparedReport): string {
  const { hub, at, summary } = report;
  const when = `${at.slice(0, 16).replace('T', ' ')} UTC`;
  return htmlPage(
    `Report on ${hub}`,
    STYLE,
    `<header>
<h1>Report on ${escaped(hub)}</h1>
<p><time datetime="${at}">${when}</time>. How this hub behaves, beside the OpenDelivery standard v1.7.1 and the spec of the Order Integration Service. No credential and no data of a customer or store is in this file.</p>
<ul class="summary">
<li class="differs"><b>${summary.differs}</b> ${summary.differs === 1 ? 'differs' : 'differ'}</li>
<li class="as_described"><b>${summary.as_described}</b> as described</li>
<li class="not_seen"><b>${summary.not_seen}</b> not seen</li>
</ul>
</header>
<main>
${comparisonHtml(report)}${differencesHtml(report)}
${ENDPOINT_NAMES.map((endpoint) => endpointHtml(report, endpoint)).join('\n')}
${requestsHtml(report)}
</main>
<footer><p>Made by <code>opendelivery doctor --report html</code>. “Not seen”: the examination had no response that could show it.</p></footer>`,
  );
}

/** The differences alone, each with a link to its row: what the reader came for. */
function differencesHtml({ checks, endpoints, summary }: Report): string {
  const different = checks.filter(({ result }) => result === 'differs');
  if (different.length === 0) {
    const isIncomplete = summary.as_described === 0 || Object.values(endpoints).some(isUnexamined);
    return `<p class="none">${
      isIncomplete
        ? 'This hub could not be examined completely, so nothing is said about it as a whole.'
        : 'Nothing that was seen differs from what is described.'
    }</p>`;
  }
  const items = different.map(
    ({ id, endpoint, title, hub }) =>
      `<li><a href="#${id}">${endpoint}: ${escaped(title)}</a>: ${escaped(shortened(hub, MAX_LINES).join('; '))}</li>`,
  );
  return `<section aria-labelledby="differences"><h2 id="differences">What differs</h2>\n<ol class="differences">${items.join('\n')}</ol></section>`;
}

const SINCE = { changed: 'Changed', same: 'Unchanged', unknown: 'Not known whether it has changed' };

/** What has changed since the baseline; nothing without one. */
function comparisonHtml({ comparison }: ComparedReport): string {
  if (!comparison) return '';
  const { baseline, changes } = comparison;
  const items = changes.map(
    (change) => `<li><a href="#${change.id}">${change.endpoint}</a>: ${escaped(describeChange(change))}</li>`,
  );
  const list = items.length > 0 ? `<ol class="differences">${items.join('\n')}</ol>\n` : '';
  const rest = describeRest(comparison).map((line) => `<p>${escaped(line)}</p>`);
  const heading = `${SINCE[sinceBaseline(comparison)]} since ${escaped(baseline.at)}`;
  return `<section aria-labelledby="changes"><h2 id="changes">${heading}</h2>\n${list}${rest.join('\n')}</section>\n`;
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

/** What stands between backticks is code. */
const withCode = (text: string) => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

function rowHtml({ id, title, section, standard, spec, client, result, hub }: Finding): string {
  const cell = (label: string, text: string) => `<td data-label="${label}">${withCode(text)}</td>`;
  const did = hub.map((line) => `<span>${escaped(line)}</span>`).join('');
  return `<tr id="${id}" class="${result}"><th scope="row">${escaped(title)} <small>${section}</small></th>${cell('Standard', standard)}${cell('Spec', spec)}<td data-label="This hub"><b class="mark">${MARKS[result]}</b>${did}</td>${cell('The client', client)}</tr>`;
}

function requestsHtml({ requests: { sent, keptLimits, byEndpoint, calls } }: Report): string {
  const rows = byEndpoint.map(
    ({ endpoint, sent: count, limit, windowMs, mostInWindow }) =>
      `<tr><th scope="row">${endpoint}</th><td data-label="Sent">${count}</td><td data-label="Most in a window">${mostInWindow}</td><td data-label="Allowed">${limit} per ${formatWindow(windowMs)}</td></tr>`,
  );
  const lines = calls.map(
    ({ method, url, status = 'no response' }) =>
      `<li><code>${escaped(`${method} ${url}`)}</code>: ${status}</li>`,
  );
  const kept = keptLimits ? 'kept every limit of the spec' : 'did not keep every limit of the spec';
  return `<section aria-labelledby="requests">
<h2 id="requests">Requests</h2>
<p>The examination sent ${formatCount(sent, 'request')} and ${kept}. It acknowledged no event and changed no order: commands and acknowledgments had random ids.</p>
<table class="requests">
<thead><tr><th scope="col">Endpoint</th><th scope="col">Sent</th><th scope="col">Most in a window</th><th scope="col">Allowed</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table>
<ol class="calls">${lines.join('\n')}</ol>
</section>`;
}

/** A table on a wide screen and cards on a narrow one. */
const STYLE = `${REPORT_STYLE}
h2 code { font-weight: normal; color: var(--quiet); } a { color: var(--link); }
.summary .differs b, .differs .mark { color: var(--bad); } .summary .as_described b, .as_described .mark { color: var(--good); }
.differences { padding-left: 1.5rem; } .differences li { margin: .25rem 0; }
tr.differs { background: var(--bad-soft); } tr.not_seen td[data-label="This hub"] { color: var(--quiet); }
tr:target { outline: 2px solid var(--link); }
td span { display: block; } .mark { font-size: .8rem; }
.requests { max-width: 40rem; } .calls { font-size: .85rem; }
@media (max-width: 50rem) {
  thead { position: absolute; clip-path: inset(50%); }
  table, tbody { display: block; } tr { display: block; padding: .5rem; border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; }
  th, td { display: block; border: 0; padding: .15rem 0; } tbody th { font-size: 1rem; }
  td[data-label]::before { content: attr(data-label); display: block; color: var(--quiet); font-size: .75rem; }
}
@media print { tr.differs th { border-left: 3px solid var(--bad); } }
`;
