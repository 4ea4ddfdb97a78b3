/** Which links of the packed documents lead to a file that is not packed. */
import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** Links and pictures, in Markdown and in HTML. */
const LINK = /\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"/g;
/** It is read beside the sources, which are not packed. */
const FOR_CONTRIBUTORS = 'CONTRIBUTING.md';
const CODE_BLOCK = /^```[\s\S]*?^```$/gm;

/**
 * @param {string} folder - the unpacked package.
 * @param {readonly string[]} files - all its files, as paths below `folder`.
 * @returns {string[]} `document: link`, for each link without a file.
 */
export function missingLinks(folder, files) {
  const isPacked = (path) => files.some((file) => file === path || file.startsWith(path + sep));
  return files
    .filter((file) => /\.md$|^llms\.txt$/.test(file) && file !== FOR_CONTRIBUTORS)
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8').replace(CODE_BLOCK, '');
      return [...text.matchAll(LINK)]
        .map(([, inMarkdown, inHtml]) => inMarkdown ?? inHtml)
        .filter((link) => !/^(?:https?:|mailto:|#)/.test(link))
        .filter((link) => !isPacked(join(dirname(file), link.replace(/#.*/, ''))))
        .map((link) => `${file}: ${link}`);
    });
}
