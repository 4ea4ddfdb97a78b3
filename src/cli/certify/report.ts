import { escaped, htmlPage, REPORT_STYLE } from '../markup.js';
import type { ItemResult } from './play.js';
import type { Script } from './script.js';
import { type Language, type Result, TEXTS, type Texts } from './texts.js';

/** What a rehearsal has come to. */
export interface Report {
  readonly script: Script;
  readonly items: readonly ItemResult[];
  /** Epoch ms on the hub's clock. */
  readonly at: number;
  readonly language: Language;
}

export const RESULTS: readonly Result[] = ['passed', 'failed', 'not seen'];

const classOf = (result: Result) => result.replace(' ', '-');

/** A sheet for the host: see `htmlPage`. */
function htmlOf({ script, items, at, language }: Report): string {
  const texts = TEXTS[language];
  const words = texts.report;
  const iso = new Date(at).toISOString();
  const title = `${script.title[language]} – ${words.title.toLowerCase()}`;
  const counts = RESULTS.map((result) => {
    const count = items.filter((item) => item.result === result).length;
    return `<li class="${classOf(result)}"><b>${count}</b> ${texts.counted(count, result)}</li>`;
  });
  const body = `<header>
<h1>${escaped(title)}</h1>
<p>${escaped(words.intro)}</p>
<dl>
<div><dt>${words.at}</dt><dd><time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time></dd></div>
<div><dt>${words.source}</dt><dd>${escaped(script.source[language])}</dd></div>
<div><dt>${words.application}</dt><dd class="blank"></dd></div>
<div><dt>${words.signature}</dt><dd class="blank"></dd></div>
</dl>
<ul class="summary">${counts.join('')}</ul>
</header>
<main>
<table>
<thead><tr><th scope="col">${words.item}</th><th scope="col">${words.result}</th><th scope="col">${words.evidence}</th></tr></thead>
<tbody>
${items.map((item) => rowOf(item, texts)).join('\n')}
</tbody>
</table>
${notTestable(script, language, texts)}
</main>
<footer><p>${words.made} <code>opendelivery certify ${script.name}</code></p></footer>`;
  return htmlPage(title, STYLE, body, language === 'pt' ? 'pt-BR' : 'en');
}

function rowOf({ id, title, result, evidence }: ItemResult, texts: Texts): string {
  const lines = evidence.map((line) => `<li>${escaped(line)}</li>`).join('');
  return `<tr class="${classOf(result)}"><th scope="row"><small>${escaped(id)}</small> ${escaped(title)}</th><td><b class="mark">${texts.results[result]}</b></td><td><ul>${lines}</ul></td></tr>`;
}

function notTestable({ notTestable: entries }: Script, language: Language, { report }: Texts): string {
  if (entries.length === 0) return '';
  const rows = entries.map(
    ({ id, title, reason }) =>
      `<tr><th scope="row"><small>${escaped(id)}</small> ${escaped(title[language])}</th><td>${escaped(reason[language])}</td></tr>`,
  );
  return `<h2>${report.notTestable}</h2>
<table class="reasons">
<thead><tr><th scope="col">${report.item}</th><th scope="col">${report.reason}</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table>`;
}

function jsonOf({ script, items, language }: Report): string {
  const notTestable = script.notTestable.map(({ id, title, reason }) => ({
    id,
    title: title[language],
    reason: reason[language],
  }));
  return JSON.stringify({ script: script.name, items, notTestable }, undefined, 2);
}

/** What `--report` can be. */
export const WRITERS = { html: htmlOf, json: jsonOf };

/** A table on a wide screen and cards on a narrow one, and on paper with room to sign. */
const STYLE = `${REPORT_STYLE}
body { max-width: 72rem; } dt { color: var(--quiet); }
dl { margin: 1rem 0; } dl div { display: flex; gap: 1rem; padding: .25rem 0; } dt { flex: 0 0 11rem; } dd { flex: 1; margin: 0; }
.blank { min-height: 1.5rem; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 600; } th:nth-child(1) { width: 38%; } th:nth-child(2) { width: 8rem; }
.reasons th:nth-child(2) { width: auto; } tbody th small { display: block; }
td ul { margin: 0; padding: 0; list-style: none; font-size: .8rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
.passed .mark, .summary .passed b { color: var(--good); } .failed .mark, .summary .failed b { color: var(--bad); }
.not-seen .mark, .summary .not-seen b { color: var(--unknown); } tr.failed { background: var(--bad-soft); }
tr.failed li:last-child, tr.not-seen li:last-child { color: var(--text); font-weight: 600; }
@media screen and (max-width: 45rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr, tbody th, td { display: block; border: 0; padding: .15rem .5rem; } tbody tr > :nth-child(n) { width: auto; } tr { margin: .75rem 0; padding: .35rem 0; border: 1px solid var(--line); border-radius: .5rem; }
  dl div { display: block; }
}
@media print {
  @page { size: A4; margin: 15mm; }
  body { max-width: none; } thead { display: table-header-group; }
}`;
