/** An element of an XML document, with its texts decoded. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** Directly in it. */
  readonly text: string;
}

interface OpenElement extends Element {
  readonly children: Element[];
  text: string;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const ENTITY = '&(?:amp|lt|gt|quot|#39);';
const NAME = '[A-Za-z][\\w-]*';
const ATTRIBUTE = `\\s+${NAME}="(?:[^<&"]|${ENTITY})*"`;
const START = new RegExp(`<(${NAME})((?:${ATTRIBUTE})*)\\s*(/?)>`, 'y');
const END = new RegExp(`</(${NAME})>`, 'y');
// `]]>` is not allowed in a text.
const TEXT = new RegExp(`(?:(?!]]>)[^<&]|${ENTITY})+`, 'y');

/**
 * Reads XML without comments, instructions and namespaces.
 *
 * @throws {Error} it is not well-formed.
 */
export function readXml(xml: string): Element {
  if (!xml.startsWith(DECLARATION)) throw new Error('the declaration is missing');
  const source = xml.trimEnd();
  const root: OpenElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  let at = DECLARATION.length;
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < source.length) {
    const parent = open.at(-1) as OpenElement;
    const text = next(TEXT);
    if (text) {
      parent.text += decoded(text[0]);
      continue;
    }
    const end = next(END);
    if (end) {
      if (open.pop()?.name !== end[1]) throw new Error(`${end[0]} ends another element`);
      continue;
    }
    const start = next(START);
    if (!start) throw new Error(`not well-formed: ${source.slice(at, at + 80)}`);
    const [, name = '', attributes = '', isEmpty] = start;
    const element = { name, attributes: attributesOf(attributes), children: [], text: '' };
    parent.children.push(element);
    if (!isEmpty) open.push(element);
  }
  const [document] = root.children;
  if (open.length !== 1 || root.children.length !== 1 || !document) throw new Error('not one whole element');
  return document;
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/([\w-]+)="([^"]*)"/g)) {
    if (name in attributes) throw new Error(`${name} is there twice`);
    attributes[name] = decoded(value);
  }
  return attributes;
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const decoded = (text: string) => text.replace(/&([^;]+);/g, (_, name: string) => CHARACTERS[name] ?? '');
