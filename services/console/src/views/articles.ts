import { html } from './html.ts';
import { head, panel, section } from './parts.ts';
import type { Reply, Visit } from '../visit.ts';

interface Article {
  readonly title: string;
  readonly lead: string;
  readonly sections: readonly { readonly title: string; readonly text: string; readonly page?: string }[];
}

/** Explains the words and states of the console. */
export const getHelp = (visit: Visit): Promise<Reply> => articlePage(visit, visit.texts.help);

/** Tells users which of their data the console stores. */
export const getPrivacy = (visit: Visit): Promise<Reply> => articlePage(visit, visit.texts.privacy);

// In an account, a section also links to the page that it is about.
async function articlePage({ path, query, texts, format }: Visit, { title, lead, sections: all }: Article): Promise<Reply> {
  const account = /^\/a\/\d+/.exec(path)?.[0];
  const search = (query.get('q') ?? '').trim();
  const sections = all.filter((each) => `${each.title} ${each.text}`.toLowerCase().includes(search.toLowerCase()));
  const bar = html`<form class="bar" role="search" aria-label="${title}">
    <label class="sr" for="q">${texts.common.search}</label><input id="q" type="search" name="q" value="${search}" /><button>
      ${texts.common.search}
    </button>
    <span class="muted small">${texts.common.of(format.number(sections.length), format.number(all.length))}</span>
  </form>`;
  const contents = html`<ul class="plain row block">
    ${sections.map((each, index) => html`<li><a class="btn link" href="#s${index}">${each.title}</a></li>`)}
  </ul>`;
  const texted = sections.map((each, index) => {
    const link =
      account !== undefined && each.page !== undefined && html` <a href="${account}${each.page}">${texts.common.show}</a>`;
    return section(each.title, html`<p>${each.text}${link}</p>`, { id: `s${index}` });
  });
  return {
    page: {
      title,
      body: html`${head(title, { lead })}${all === texts.help.sections && html`<div class="block">${panel(bar)}</div>`}${contents}${texted}`,
    },
  };
}
