const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text in HTML or XML, also in an attribute. */
export const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

/** A page in one file that loads nothing: no script, no image, no other file. It can be sent and printed. */
export const htmlPage = (title: string, style: string, body: string, language = 'en') => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;

/** The style of a report: light and dark, with tables, and on paper. A page adds its own rules behind it. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --page: #fff; --line: #d0d7de; --bad: #b42318; --bad-soft: #fdecea; --good: #1a6b34; --unknown: #7a4d00; --link: #0b57d0; font: 16px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --quiet: #9aa4af; --page: #0d1117; --line: #30363d; --bad: #ff9b8f; --bad-soft: #3a1512; --good: #6fd08c; --unknown: #e3b341; --link: #8ab4f8; } }
* { box-sizing: border-box; }
body { max-width: 80rem; margin: 0 auto; padding: 1rem; color: var(--text); background: var(--page); overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.7rem; line-height: 1.2; } h2 { margin: 2.5rem 0 .25rem; font-size: 1.2rem; }
p, small, thead th { color: var(--quiet); } small, thead th { font-weight: normal; } code { font-size: .9em; }
.summary { display: flex; flex-wrap: wrap; gap: .75rem; padding: 0; list-style: none; }
.summary li { padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; } .summary b { font-size: 1.4rem; margin-right: .25rem; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; table-layout: fixed; }
th, td { padding: .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
footer { margin-top: 2rem; font-size: .85rem; }
@media print {
  :root { color-scheme: light; --text: #000; --quiet: #333; --page: #fff; --line: #999; --bad: #900; --bad-soft: #fff; --good: #040; --unknown: #530; --link: #000; font-size: 11px; }
  body { max-width: none; padding: 0; } tr, li { break-inside: avoid; } h2 { break-after: avoid; }
}
`;
