import { ApplicationError } from '@survey/rpc/application-error.ts';
import { notFoundPage } from '../page-error.ts';
import { html, type Html } from '../views/html.ts';
import { form, head, note } from '../views/parts.ts';
import { CHANGE_MS, type Reply, type Visit } from '../visit.ts';

const KINDS = ['confirm', 'stop'] as const;

/**
 * Shows what the link of a mail does. The page only asks, because programs that check mails open
 * every link.
 */
export async function getMailedLink(visit: Visit): Promise<Reply> {
  const { title, lead, button } = visit.texts.mailedLink[kindOf(visit)];
  return page(
    title,
    html`${head(title, { lead })}${form(visit, visit.path, html`<button class="primary">${button}</button>`, 'block')}`,
  );
}

/** Confirms the address that the link was mailed to, or ends its mails. */
export async function postMailedLink(visit: Visit): Promise<Reply> {
  const kind = kindOf(visit);
  const { done, doneText } = visit.texts.mailedLink[kind];
  const { account, address, token } = visit.request.params;
  const link = { account_id: idOf(account), address_id: idOf(address), token: String(token) };
  const options = { caller: { requestId: visit.requestId, address: visit.address }, deadlineMs: CHANGE_MS };
  const { admin } = visit.services;
  try {
    await (kind === 'confirm' ? admin.confirmNoticeAddress(link, options) : admin.endNotices(link, options));
  } catch (error) {
    if (!(error instanceof ApplicationError && error.code === 'not_found')) throw error;
    const { title, text } = visit.texts.mailedLink.invalid;
    return page(title, html`${head(title)}${note('warn', text)}`, 404);
  }
  return page(done, html`${head(done)}${note('good', doneText)}`);
}

const page = (title: string, body: Html, status = 200): Reply => ({ page: { title, body, status } });

function kindOf({ request }: Visit): (typeof KINDS)[number] {
  const kind = KINDS.find((each) => each === request.params['kind']);
  if (kind === undefined) throw notFoundPage();
  return kind;
}

function idOf(text: unknown): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1) throw notFoundPage();
  return id;
}
