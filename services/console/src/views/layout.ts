import type { AccountVisit, Page, Visit } from '../visit.ts';
import { LANGUAGES, type Language } from '../texts/languages.ts';
import { href, html, none, ownMarkup, type Html } from './html.ts';
import { formFields, note } from './parts.ts';
import { secondsLeft } from '../sign-in/session.ts';

const LOGO = ownMarkup(
  '<svg viewBox="0 0 20 20" fill="currentColor" aria-hidden="true"><rect x="2" y="11" width="4" height="7" rx="1"/><rect x="8" y="6.5" width="4" height="11.5" rx="1"/><rect x="14" y="2" width="4" height="16" rx="1"/></svg>',
);

// No eval, no style attributes, no requests to other origins, no browser storage.
const HTMX = JSON.stringify({
  allowEval: false,
  includeIndicatorStyles: false,
  allowScriptTags: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  attributesToSettle: ['class'],
});

export interface Frame {
  // The account of these pages, and the number of its imports that need a decision.
  readonly account?: { readonly id: number; readonly name: string; readonly pending: number };
}

/** Renders a whole page, with or without the navigation of an account. */
export function layout(visit: Visit, page: Page, { account }: Frame): Html {
  const { texts, services, language } = visit;
  const { assets } = services;
  const title = [
    page.status !== undefined && page.status >= 400 ? `${texts.common.error}: ${page.title}` : page.title,
    account?.name,
    texts.common.product,
  ]
    .filter(Boolean)
    .join(' · ');
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="htmx-config" content="${HTMX}" />
        <title>${title}</title>
        <link rel="icon" href="${assets.path('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assets.path('console.css')}" />
        <script src="${assets.path('htmx.js')}" defer></script>
        <script src="${assets.path('console.js')}" defer></script>
        ${page.reloadSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${page.reloadSeconds}" /></noscript>`}
      </head>
      <body>
        <a class="skip" href="#main">${texts.common.skip}</a>
        ${account === undefined ? pageOutsideAccounts(visit, page) : pageInAccount(visit, page, account)}
      </body>
    </html>`;
}

function pageOutsideAccounts(visit: Visit, page: Page): Html {
  return html`<div class="gate">
    <main id="main">
      <p class="brand">${LOGO}${visit.texts.common.product}</p>
      ${resumedNote(visit)}${page.body}${sessionEnd(visit)}
    </main>
    <footer class="who">${visit.session === undefined ? none : signedIn(visit)}${articles(visit, '')}${languages(visit)}</footer>
  </div>`;
}

function pageInAccount(visit: Visit, page: Page, account: NonNullable<Frame['account']>): Html {
  const { texts } = visit;
  const hasOthers = (visit.session?.accounts.length ?? 0) > 1;
  return html`<div class="shell">
    <details class="menu">
      <summary>${LOGO}<span>${account.name}</span><span>${texts.nav.menu}</span></summary>
      <nav class="in nav" aria-label="${texts.nav.mainSmall}">
        ${navigation(visit, page, account)}
        <div class="who">${signedIn(visit)}${articles(visit, `/a/${account.id}`)}${languages(visit)}</div>
      </nav>
    </details>
    <header class="side">
      <a class="brand" href="/a/${account.id}/">${LOGO}${texts.common.product}</a>
      <a class="acct" href="${hasOthers ? '/accounts' : `/a/${account.id}/`}"
        ><b><bdi>${account.name}</bdi></b
        ><span>${hasOthers ? texts.nav.account(account.id) : texts.nav.accountId(account.id)}</span></a
      >
      <nav class="nav" aria-label="${texts.nav.main}">${navigation(visit, page, account)}</nav>
      <div class="who">${signedIn(visit)}${articles(visit, `/a/${account.id}`)}${languages(visit)}</div>
    </header>
    <main id="main">${resumedNote(visit)}${page.body}${sessionEnd(visit)}</main>
  </div>`;
}

function resumedNote({ isResumed, texts }: Visit): Html {
  return isResumed ? html`<div class="block">${note('plain', texts.form.resumed, none, { isFocused: true })}</div>` : none;
}

function navigation({ texts }: Visit, { section }: Page, { id, pending }: { id: number; pending: number }): Html {
  const { nav } = texts;
  const decisions = pending > 0 ? html` <span class="n">${pending}<span class="sr"> ${nav.pending(pending)}</span></span>` : none;
  const entry = (name: string, path: string, text: string, badge: Html = none): Html =>
    html`<li><a href="/a/${id}${path}" ${section === name ? html` aria-current="page"` : none}>${text}${badge}</a></li>`;
  return html`<ul>
      ${entry('overview', '/', nav.overview)}
    </ul>
    <h2>${nav.employeesIn}</h2>
    <ul>
      ${entry('integration', '/integration', nav.integration)}${entry('imports', '/imports', nav.imports, decisions)}${entry('dry-run', '/dry-run', nav.dryRun)}
    </ul>
    <h2>${nav.dataOut}</h2>
    <ul>
      ${entry('keys', '/keys', nav.keys)}${entry('attributes', '/attributes', nav.attributes)}
    </ul>
    <h2>${nav.freeText}</h2>
    <ul>
      ${entry('topics', '/topics', nav.topics)}
    </ul>
    <h2>${nav.accountGroup}</h2>
    <ul>
      ${entry('settings', '/settings', nav.settings)}${entry('guard', '/guard', nav.guard)}${entry('admins', '/admins', nav.admins)}${entry('audit', '/audit', nav.audit)}
    </ul>`;
}

function signedIn(visit: Visit): Html {
  const { session, texts } = visit;
  if (session === undefined) return none;
  const [name = '', host] = session.name.split('@', 2);
  return html`<p>${name}${host !== undefined && html`@<wbr />${host}`}<br />${texts.nav.admin}</p>
    <form method="post" action="/sign-out">
      ${formFields(visit, '/sign-out')}<button class="link">${texts.nav.signOut}</button>
    </form>
    <form method="post" action="/sign-out/everywhere">
      ${formFields(visit, '/sign-out/everywhere')}<button class="link">${texts.nav.signOutEverywhere}</button>
    </form>`;
}

function articles({ texts }: Visit, base: string): Html {
  return html`<p><a href="${base}/help">${texts.help.title}</a> · <a href="${base}/privacy">${texts.privacy.title}</a></p>`;
}

// The result of a form has no such links: another language would lose it, for example a new key.
function languages(visit: Visit): Html {
  if (visit.request.method === 'POST') return none;
  const others = Object.entries(LANGUAGES).filter(([code]) => code !== visit.language);
  return html`<form method="post" action="/language">
    <input type="hidden" name="return" value="${href(visit.path)}" />${others.map(
      ([code, { common }]) =>
        html`<button class="link" name="language" value="${code}" lang="${code as Language}">${common.language}</button>`,
    )}
  </form>`;
}

/** Returns the number of imports that need a decision, shown in the navigation. */
export async function countPending(visit: AccountVisit): Promise<number> {
  const { imports } = await visit.admin.listImports({ limit: 1 });
  return imports.filter(({ can_allow_deletes }) => can_allow_deletes === true).length;
}

/**
 * Renders when the session ends. With script, console.js shows the warning two minutes before, and
 * the button extends the session without losing what the user has typed.
 */
export function sessionEnd({ session, services, texts, format }: Visit): Html {
  if (session === undefined) return none;
  const { session: t } = texts;
  const seconds = secondsLeft(session, services.sessionLimits);
  const end = format.clock(new Date(session.foundAt + seconds * 1_000).toISOString());
  return html`<div id="session" class="session" role="status" data-seconds="${seconds}">
    <p class="muted small">${t.endsAt(end)}</p>
    <div class="note w" hidden>
      <div>
        <h2>${t.endsSoon(end)}</h2>
        <p>
          <button type="button" hx-get="/session" hx-target="#session" hx-swap="outerHTML">${t.stay}</button>
        </p>
      </div>
    </div>
  </div>`;
}
