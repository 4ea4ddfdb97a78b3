import { SaxesParser } from 'saxes';

/** An element of an XML document. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** Directly in it. */
  readonly text: string;
}

/** @throws {Error} the document is not well-formed. */
export function readXml(xml: string): Element {
  const root = { name: '', attributes: {}, children: [] as Element[], text: '' };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (part) => {
    (open.at(-1) ?? root).text += part;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  return root.children[0] as Element;
}
