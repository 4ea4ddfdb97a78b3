/**
 * What TypeDoc does not do by itself: a guide is named by its first heading,
 * every "Spec §4.3" is a link to its section in the guides, a heading that
 * has moved to another guide is still an anchor, and the navigation of a page
 * without a script lists the guides and the entries.
 */
import { readFileSync } from 'node:fs';
import { Converter, PageEvent } from 'typedoc';

const HUB_PAGE = new URL('the-hub.md', import.meta.url);

/** Rows of the hub page's table: `| Spec §4.3 | [Polling](#polling) |`, or with the file of another guide. */
const ROW = /^\| Spec §([\d.]+) \| \[.+\]\(([\w-]+\.md)?(?:#(.+))?\) \|$/gm;

/** The first heading of a guide. */
const titleOf = (markdown) => /^# (.+)$/m.exec(markdown)?.[1];

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const text = document.content.map(({ text }) => text).join('');
    const heading = titleOf(text);
    // Its heading is the name of the package, which the start page has.
    if (document.name === 'README.pt-BR') document.name = 'Português';
    else if (heading) document.name = heading;
  });

  const anchors = new Map(
    [...readFileSync(HUB_PAGE, 'utf8').matchAll(ROW)].map(([, section, guide = 'the-hub.md', id]) => [
      section,
      { guide: titleOf(readFileSync(new URL(guide, HUB_PAGE), 'utf8')), id },
    ]),
  );
  app.renderer.on(PageEvent.END, (page) => {
    if (!page.contents || !page.url.endsWith('.html')) return;
    // TypeDoc counts only headings among the anchors of a page.
    for (const [, id] of page.contents.matchAll(/<a id="([\w-]+)"><\/a>/g)) {
      app.renderer.router.getSlugger(page.model).slug(id);
    }
    page.contents = page.contents.replace('<li>Loading...</li>', () => navigation(app, page));
    const up = '../'.repeat(page.url.split('/').length - 1);
    page.contents = linked(page.contents, (section) => {
      const { guide, id } = anchors.get(section) ?? {};
      const document = page.project.documents?.find(({ name }) => name === guide);
      return document && `${up}${app.renderer.router.getFullUrl(document)}${id ? `#${id}` : ''}`;
    });
  });
}

/** What the page's script replaces by the whole tree. */
const navigation = ({ renderer: { router } }, { url, project: { documents = [], children = [] } }) =>
  [...documents, ...children]
    .map((each) => {
      const target = router.getFullUrl(each);
      const current = target === url ? ' aria-current="page"' : '';
      return `<li><a href="${'../'.repeat(url.split('/').length - 1)}${target}"${current}>${each.name}</a></li>`;
    })
    .join('');

/** Links `§4.3` in text that begins with "Spec", but not within links, code and headings' attributes. */
function linked(html, urlOf) {
  return html.replace(/Spec (?:§[\d.]*\d(?:[–,]? ?(?:and )?)?)+/g, (text, at) => {
    const before = html.slice(0, at);
    const isInTag = before.lastIndexOf('<') > before.lastIndexOf('>');
    const isInLink = before.lastIndexOf('<a ') > before.lastIndexOf('</a>');
    if (isInTag || isInLink) return text;
    return text.replace(/§([\d.]*\d)/g, (mark, section) => {
      const url = urlOf(section);
      return url ? `<a href="${url}">${mark}</a>` : mark;
    });
  });
}
