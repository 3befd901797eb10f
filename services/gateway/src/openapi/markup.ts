export interface Markup {
  readonly html: string;
}

type Value = string | Markup | readonly Markup[];

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Builds HTML from a template. Values are escaped unless they are markup. */
export function markup(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { html: String.raw({ raw: strings }, ...values.map(htmlOf)) };
}

function htmlOf(value: Value): string {
  if (typeof value === 'string') return value.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
  return 'html' in value ? value.html : value.map((part) => part.html).join('');
}

/** Renders the subset of CommonMark that the descriptions use: paragraphs and `code`. */
export function paragraphs(text: string): Markup[] {
  return text.split('\n\n').map((paragraph) => markup`<p>${line(paragraph)}</p>\n`);
}

/** Renders one paragraph without its element. */
export function line(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`));
}
