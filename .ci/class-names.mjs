/**
 * For tsup: a class that names itself is `class _HubClient` in a bundle of esbuild, and so in stack traces and in what
 * `console.log` prints of its objects. Here it gets its own name back.
 */
export const ownClassNames = {
  name: 'own class names',
  renderChunk: (code) => ({
    code: [...code.matchAll(/\bvar (\w+) = class (_\1)\b/g)].reduce(
      (text, [, own, inner]) => text.replaceAll(new RegExp(`\\b${inner}\\b`, 'g'), own),
      code,
    ),
  }),
};
