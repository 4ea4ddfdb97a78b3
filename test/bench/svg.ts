import type { Bar, Group } from './chart.js';

// Narrow, so that its letters can still be read in the column of a phone.
const WIDTH = 560;
const MARGIN = 20;
const LABELS_END = 216;
/** Room for the ratio behind the longest bar. */
const RATIO_WIDTH = 62;
const LONGEST = WIDTH - MARGIN - RATIO_WIDTH - LABELS_END;
const ROW = 24;
const BAR = 15;

/** An image cannot follow the theme of the page, only that of the system; so it has a background of its own. */
const STYLE = `
    svg { --back: #ffffff; --edge: #d1d9e0; --text: #1f2328; --quiet: #59636e; --bar: #c3ccd6; --ours: #0969da; }
    @media (prefers-color-scheme: dark) {
      svg { --back: #0d1117; --edge: #3d444d; --text: #f0f6fc; --quiet: #9198a1; --bar: #495361; --ours: #4493f8; }
    }
    text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; font-size: 14px; fill: var(--text); }
    .back { fill: var(--back); stroke: var(--edge); }
    .title { font-size: 17px; font-weight: 600; }
    .group { font-size: 15px; font-weight: 600; }
    .quiet { font-size: 12.5px; fill: var(--quiet); }
    .bar { fill: var(--bar); }
    .ours { fill: var(--ours); }
    .name { font-weight: 600; }`;

const HEADING = 'CPU time, compared with doing it by hand';
/** What the reader gets for the blue bars, and when their length matters. */
const ABOUT = [
  'The blue bars include tokens, the hub’s limits, retries, checked data, and that',
  'no event is handled twice. A store polls at most twice a minute, so these costs',
  'matter to a process with many stores.',
];

/** The chart as an SVG for light and dark pages. */
export function svgOf(groups: readonly Group[], footer: string): string {
  const parts: string[] = [];
  let y = 36;
  parts.push(text(MARGIN, y, HEADING, 'title'));
  for (const line of ABOUT) {
    y += 19;
    parts.push(text(MARGIN, y, line, 'quiet'));
  }
  y += 14;
  for (const group of groups) {
    y += 26;
    parts.push(text(MARGIN, y, group.title, 'group'));
    parts.push(text(WIDTH - MARGIN, y, `1x = ${group.floor}`, 'quiet', 'end'));
    y += 11;
    const longest = Math.max(...group.bars.map(({ ratio }) => ratio));
    for (const bar of group.bars) {
      parts.push(...barOf(bar, y, longest));
      y += ROW;
    }
  }
  y += 24;
  for (const line of wrapped(footer)) {
    parts.push(text(MARGIN, y, line, 'quiet'));
    y += 17;
  }
  const height = y + 4;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">
  <title id="title">${escaped(HEADING)}</title>
  <desc id="description">${escaped(groups.map(described).join(' '))}</desc>
  <style>${STYLE}
  </style>
  <rect class="back" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${parts.map((part) => `  ${part}`).join('\n')}
</svg>
`;
}

function barOf({ label, ratio, isOurs }: Bar, y: number, longest: number): string[] {
  const width = Math.max(2, (ratio / longest) * LONGEST);
  const baseline = y + BAR - 3;
  return [
    text(LABELS_END - 10, baseline, label, isOurs ? 'name' : '', 'end'),
    `<rect class="${isOurs ? 'ours' : 'bar'}" x="${LABELS_END}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>`,
    text(LABELS_END + width + 7, baseline, `${ratioOf(ratio)}x`, isOurs ? 'name' : ''),
  ];
}

/** Two digits where they matter. */
const ratioOf = (ratio: number) => (ratio === 1 ? '1' : ratio.toFixed(ratio < 1.995 ? 2 : 1));

const described = ({ title, floor, bars }: Group) =>
  `${title}: ${bars.map(({ label, ratio }) => `${label} ${ratioOf(ratio)}x`).join(', ')}; 1x is ${floor}.`;

function text(x: number, y: number, content: string, className = '', anchor = ''): string {
  const attributes = [
    `x="${Number(x.toFixed(1))}" y="${y}"`,
    ...(className === '' ? [] : [`class="${className}"`]),
    ...(anchor === '' ? [] : [`text-anchor="${anchor}"`]),
  ];
  return `<text ${attributes.join(' ')}>${escaped(content)}</text>`;
}

function wrapped(content: string, length = 70): string[] {
  const lines: string[] = [''];
  for (const word of content.split(' ')) {
    const line = lines.at(-1) as string;
    if (line.length + word.length + 1 > length) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

const escaped = (content: string) =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
