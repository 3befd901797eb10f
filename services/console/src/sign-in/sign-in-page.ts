import { domainToASCII } from 'node:url';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { LANGUAGE_COOKIE, setCookie } from '../cookies.ts';
import { notFoundPage, PageError } from '../page-error.ts';
import { ownPath, startSignIn } from './start.ts';
import { isLanguage } from '../texts/languages.ts';
import { html, none, type Html } from '../views/html.ts';
import { head, note, textField } from '../views/parts.ts';
import { sessionEnd } from '../views/layout.ts';
import { READ_MS, type AccountVisit, type Reply, type SignedInVisit, type Visit } from '../visit.ts';
import type { Issuer } from '../config.ts';

const YEAR_SECONDS = 31_536_000;

/** `/`: redirects to the last page of the user, or to sign-in. */
export async function getHome({ session }: Visit): Promise<Reply> {
  if (session === undefined) return { redirect: '/sign-in' };
  return { redirect: session.accounts.length === 1 ? `/a/${session.accounts[0]?.id}/` : '/accounts' };
}

export async function getSignIn(visit: Visit): Promise<Reply> {
  const { texts, query, services } = visit;
  const after = query.get('after');
  const message = after === 'sign-out' ? note('good', texts.signIn.signedOut, none, { isFocused: true }) : none;
  const returnTo = ownPath(query.get('return'));
  const lead = returnTo === '/' ? texts.signIn.lead : texts.signIn.leadReturn;
  return signInPage(
    visit,
    html`${head(texts.signIn.title, { lead })}${message}${providers(visit, services.issuers.all, returnTo)}`,
  );
}

// One provider is a button; several with domains are selected by e-mail address.
function providers(visit: Visit, issuers: readonly Issuer[], returnTo: string): Html {
  const { texts } = visit;
  const fields = html`<input type="hidden" name="return" value="${returnTo}" />`;
  const byDomain = issuers.filter(({ domains }) => domains.length > 0);
  const buttons = issuers.filter(({ domains }) => domains.length === 0);
  return html`<form class="panel" method="post" action="/sign-in">
    ${fields}
    ${
      byDomain.length > 0 &&
      html`${textField('email', { label: texts.signIn.email, hint: texts.signIn.emailHint, autocomplete: 'email' })}
        <div class="foot"><button class="primary">${texts.common.next}</button></div>`
    }
    ${buttons.length > 0 && html`<div class="pad fields">${buttons.map(({ id, name }, index) => html`<p><button class="${index === 0 && byDomain.length === 0 ? 'primary btn' : 'btn'}" name="issuer" value="${id}">${texts.signIn.with(name)}</button></p>`)}</div>`}
  </form>`;
}

const signInPage = async ({ texts }: Visit, body: Html): Promise<Reply> => ({ page: { title: texts.signIn.title, body } });

/**
 * Redirects to the provider. Unknown domains go to the first one, so that the page does not reveal
 * known addresses.
 */
export async function postSignIn(visit: Visit): Promise<Reply> {
  const { form, services } = visit;
  const domain = domainToASCII(/@([^@\s]+)$/.exec(form.get('email') ?? '')?.[1] ?? '');
  const issuer =
    services.issuers.find(form.get('issuer') ?? '') ??
    services.issuers.all.find(({ domains }) => domains.includes(domain)) ??
    services.issuers.all[0];
  if (issuer === undefined) throw notFoundPage();
  return { leadOn: await startSignIn(visit, issuer, { returnTo: ownPath(form.get('return')) }) };
}

/** Requires a new authentication, then continues with the action that needs it. */
export async function getStepUp(visit: SignedInVisit): Promise<Reply> {
  const issuer = visit.services.issuers.find(visit.session.issuerId);
  if (issuer === undefined) throw notFoundPage();
  const returnTo = ownPath(visit.query.get('return'));
  return { redirect: await startSignIn(visit, issuer, { returnTo, stepUpOf: visit.session.subject }) };
}

export async function postLanguage(visit: Visit): Promise<Reply> {
  const language = visit.form.get('language') ?? undefined;
  if (isLanguage(language)) setCookie(visit.response, LANGUAGE_COOKIE, language, YEAR_SECONDS);
  return { redirect: ownPath(visit.form.get('return')) };
}

/** Extends the session, as every request does, and returns when it ends. */
export async function getSession(visit: SignedInVisit): Promise<Reply> {
  return { fragment: sessionEnd(visit) };
}

/** Lists the accounts in which the user may act now, which may be fewer than at the sign-in. */
export async function getAccounts(visit: AccountVisit): Promise<Reply> {
  const { texts, format, session } = visit;
  const current = await Promise.all(
    session.accounts.map(({ id }) =>
      visit.services.admin
        .showAccount({ account_id: id }, { caller: visit.caller(id), deadlineMs: READ_MS })
        .catch((error: unknown) => {
          if (error instanceof ApplicationError && (error.code === 'forbidden' || error.code === 'not_found')) return undefined;
          throw error;
        }),
    ),
  );
  const accounts = current.filter((account) => account !== undefined);
  if (accounts.length === 0) {
    await visit.services.sessions.end(visit.sessionId);
    throw new PageError(403, 'notAdmin');
  }
  const body = html`${head(texts.accounts.title, { lead: texts.accounts.lead })}
    <ul class="panel plain">
      ${accounts.map(
        ({ account_id: id, name, managed }) =>
          html`<li>
            <a class="pick" href="/a/${id}/"
              ><span><b>${name}</b><span class="muted small">${texts.accounts.employees(format.number(managed ?? 0))}</span></span
              ><span class="muted small">${texts.nav.accountId(id)}</span></a
            >
          </li>`,
      )}
    </ul>`;
  return { page: { title: texts.accounts.title, body } };
}
