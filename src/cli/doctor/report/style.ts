/** The style of the page: light and dark, a table on a wide screen and cards on a narrow one, and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --page: #fff; --line: #d0d7de; --soft: #f6f8fa; --bad: #b42318; --bad-soft: #fdecea; --good: #1a6b34; --link: #0b57d0; font: 16px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --quiet: #9aa4af; --page: #0d1117; --line: #30363d; --soft: #161b22; --bad: #ff9b8f; --bad-soft: #3a1512; --good: #6fd08c; --link: #8ab4f8; } }
* { box-sizing: border-box; }
body { max-width: 80rem; margin: 0 auto; padding: 1rem; color: var(--text); background: var(--page); overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.7rem; line-height: 1.2; } h2 { margin: 2.5rem 0 .25rem; font-size: 1.2rem; }
h2 code { font-weight: normal; color: var(--quiet); } code { font-size: .9em; } small, p { color: var(--quiet); } small { font-weight: normal; }
a { color: var(--link); }
.summary { display: flex; flex-wrap: wrap; gap: .75rem; padding: 0; list-style: none; }
.summary li { padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
.summary b { font-size: 1.4rem; margin-right: .25rem; }
.summary .differs b, .differs .mark { color: var(--bad); } .summary .as_described b, .as_described .mark { color: var(--good); }
.differences { padding-left: 1.5rem; } .differences li { margin: .25rem 0; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; table-layout: fixed; }
th, td { padding: .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-weight: normal; }
tr.differs { background: var(--bad-soft); } tr.not_seen td[data-label="This hub"] { color: var(--quiet); }
tr:target { outline: 2px solid var(--link); }
td span { display: block; } .mark { font-size: .8rem; }
.requests { max-width: 40rem; } footer { margin-top: 2rem; font-size: .85rem; }
@media (max-width: 50rem) {
  thead { position: absolute; clip-path: inset(50%); }
  table, tbody { display: block; } tr { display: block; padding: .5rem; border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; }
  th, td { display: block; border: 0; padding: .15rem 0; } tbody th { font-size: 1rem; }
  td[data-label]::before { content: attr(data-label); display: block; color: var(--quiet); font-size: .75rem; }
}
@media print {
  :root { color-scheme: light; --text: #000; --quiet: #333; --page: #fff; --line: #999; --soft: #fff; --bad: #8f1108; --bad-soft: #fff; --good: #11521f; --link: #000; font-size: 11px; }
  body { max-width: none; padding: 0; } tr, li { break-inside: avoid; } h2 { break-after: avoid; }
  tr.differs th { border-left: 3px solid var(--bad); }
}
`;
