import { html } from './html.ts';
import { head, section } from './parts.ts';
import type { Reply, Visit } from '../visit.ts';

interface Article {
  readonly title: string;
  readonly lead: string;
  readonly sections: readonly { readonly title: string; readonly text: string }[];
}

/** Explains the words and states of the console. */
export const getHelp = ({ texts }: Visit): Promise<Reply> => articlePage(texts.help);

/** Tells users which of their data the console stores. */
export const getPrivacy = ({ texts }: Visit): Promise<Reply> => articlePage(texts.privacy);

async function articlePage({ title, lead, sections }: Article): Promise<Reply> {
  const body = html`${head(title, { lead })}${sections.map((each) => section(each.title, html`<p>${each.text}</p>`))}`;
  return { page: { title, body } };
}
