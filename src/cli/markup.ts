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
