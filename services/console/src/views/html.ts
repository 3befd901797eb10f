import { html, raw } from 'hono/html';

/** Markup in which every value was escaped. */
export type Html = ReturnType<typeof html>;

export { html };

/** Markup of this file's own making, such as a figure: never text from outside. */
export const ownMarkup = (markup: string): Html => raw(markup);

export const none: Html = html``;

export function join(parts: readonly Html[], separator: Html = none): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : [separator, part])).flat()}`;
}

/** A path of this console for an attribute. Anything else, such as a javascript: address, becomes the start page. */
export function href(path: string): string {
  return /^\/(?![/\\])/.test(path) || /^[#?]/.test(path) ? path : '/';
}
