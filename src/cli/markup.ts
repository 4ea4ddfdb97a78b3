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
