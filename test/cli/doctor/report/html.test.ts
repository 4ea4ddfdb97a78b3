import { expect, it } from 'vitest';
import { exits } from '../../support.js';
import { at, type Change, changedHub } from './changed-hub.js';

/** The document of `doctor --report html`, and the links of its list of differences. */
async function page(change: Change) {
  const { clock } = await changedHub(change);
  const ran = await exits(0, 'doctor --report html', { clock });
  const [, list = ''] = /<ol class="differences">(.*?)<\/ol>/s.exec(ran.out) ?? [];
  return { html: ran.out, links: [...list.matchAll(/<a href="#([^"]+)">/g)].map(([, id]) => id) };
}

const NOTHING = 'Nothing that was seen differs from what is described.';

it('the page lists the differences first, each with a link to its row, and nothing else', async () => {
  const shorter = at('token', (answer) => void (answer.isAuthorized && (answer.json.expires_in = 3600)));
  const { html, links } = await page(shorter);
  expect(links).toEqual(['token.lifetime']);
  expect(html).toContain('<tr id="token.lifetime" class="differs">');
  expect(html).toContain('<b>1</b> differs');
  expect(html).not.toContain(NOTHING);
});

it('the page of a hub without differences says so, and has no list', async () => {
  const { html, links } = await page({});
  expect(links).toEqual([]);
  expect(html).toContain(NOTHING);
  expect(html).not.toContain('What differs');
});
