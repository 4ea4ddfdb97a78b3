import { htmlOf, type Report } from './report-html.js';

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
