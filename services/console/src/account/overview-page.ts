import { percentNextTo } from '@survey/formats/percent.ts';
import type { ApiKey, AuditEntry, ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import type { ShowTextStatusResponse } from '@survey/proto/text/v1/topics.ts';
import { importPlot } from '../imports/import-plot.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, definitions, head, note, orUnavailable, panel, section, table, tag } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { auditColumns } from './audit-page.ts';
import { doneNote, optional } from '../views/form-results.ts';
import { nameOf } from '../keys/new-key-page.ts';
import { doneText, maskingTag, percentDone } from '../settings/settings-page.ts';

const NIGHTS = 14;
const QUIET_MS = 36 * 3_600_000;
const DAY_MS = 86_400_000;

export async function getOverview(visit: AccountVisit): Promise<Reply> {
  const { texts } = visit;
  const [integration, { imports }, keys, attributes, settings, audit, textStatus] = await Promise.all([
    visit.admin.showIntegration({}),
    visit.admin.listImports({ limit: 100 }),
    optional(visit.admin.listKeys({})),
    optional(visit.admin.listAttributes({})),
    optional(visit.admin.showSettings({})),
    optional(visit.admin.listAudit({ limit: 5 })),
    optional(visit.topics.showTextStatus({})),
  ]);
  const applied = imports.find(({ state }) => state === 'applied');
  const now = Date.now();
  const active = keys?.keys.filter(
    ({ revoked_at, ends_at }) => revoked_at == null && (ends_at == null || Date.parse(ends_at) > now),
  );
  const state = definitions([
    [
      texts.overview.integration,
      integration.connected ? tag('on', texts.integration.connected) : tag('off', texts.integration.notConnected),
    ],
    [texts.overview.lastApplied, applied?.finished_at == null ? '–' : visit.format.time(applied.finished_at)],
    [texts.overview.sentNightly, applied === undefined ? '–' : visit.format.number(applied.employees_total)],
    [texts.overview.activeKeys, active === undefined ? '–' : visit.format.number(active.length)],
    [texts.overview.releasedAttributes, attributes === undefined ? '–' : released(visit, attributes.attributes)],
    [texts.overview.masking, settings === undefined ? '–' : maskingTag(visit, settings)],
    [texts.overview.answers, textStatus === undefined ? '–' : answersDone(visit, textStatus)],
  ]);
  const body = html`${head(texts.overview.title, { actions: html`<a class="btn" href="${at(visit, '/dry-run')}">${texts.nav.dryRun}</a>` })}${doneNote(visit)}
    ${alerts(visit, imports)} ${invited(visit)} ${(active ?? []).map((key) => endingKey(visit, key))}
    ${applied === undefined ? firstSteps(visit, integration.connected, imports) : none}
    <div class="cols block">
      ${section(texts.overview.nights, panel(imports.length === 0 ? html`<p class="pad muted">${texts.imports.none}</p>` : importPlot(visit, lastNights(imports))), { aside: html`<a href="${at(visit, '/imports')}">${texts.overview.allImports}</a>` })}
      ${section(texts.overview.state, html`<div class="panel pad">${state}</div>`)}
    </div>
    ${section(
      texts.overview.recent,
      orUnavailable(visit, audit, ({ entries }) => recent(visit, entries)),
      { aside: html`<a href="${at(visit, '/audit')}">${texts.nav.audit}</a>` },
    )}`;
  return { page: { title: texts.overview.title, section: 'overview', body } };
}

function invited({ session, account, texts }: AccountVisit): Html {
  const isInvited = session.accounts.some(({ id, principal }) => id === account.id && principal.kind === 'invited');
  return isInvited ? note('plain', texts.overview.invited, html`<p>${texts.overview.invitedText}</p>`) : none;
}

function endingKey(visit: AccountVisit, key: ApiKey): Html {
  const { texts, format } = visit;
  if (key.ends_at == null) return none;
  const { overview: t } = texts;
  const used = key.last_used_at == null ? t.keyUnused : t.keyUsed(format.time(key.last_used_at));
  const title = t.keyEnds(nameOf(visit, key), format.time(key.ends_at));
  const path = at(visit, key.scope === 'read' ? '/keys' : '/integration');
  return note('warn', title, html`<p>${used} <a href="${path}">${texts.keys.title}</a></p>`);
}

const lastNights = (imports: readonly ImportSummary[]): ImportSummary[] =>
  imports.filter(({ accepted_at }) => Date.parse(accepted_at) > Date.now() - NIGHTS * DAY_MS);

const released = ({ texts, format }: AccountVisit, attributes: readonly { released_at?: string | null | undefined }[]): string =>
  texts.common.of(
    format.number(attributes.filter(({ released_at }) => released_at != null).length),
    format.number(attributes.length),
  );

// The stage that is furthest behind.
function answersDone(visit: AccountVisit, { answers, stages }: ShowTextStatusResponse): string {
  // Bounded: the stages of text analysis.
  const percent = Math.min(100, ...stages.filter(({ version }) => version != null).map((stage) => percentDone(answers, stage)));
  return doneText(visit, percent);
}

// Pending decisions first, then possible problems.
function alerts(visit: AccountVisit, imports: readonly ImportSummary[]): Html {
  const { texts, format } = visit;
  const [newest] = imports;
  if (newest === undefined) return none;
  if (newest.can_allow_deletes === true && newest.managed != null && newest.would_offboard != null) {
    const threshold = newest.deletion_threshold ?? '0';
    const share = format.percentText(percentNextTo(threshold, newest.would_offboard, newest.managed));
    const title = texts.overview.cancelled(format.number(newest.would_offboard), format.number(newest.managed), share);
    const path = at(visit, `/imports/${newest.import_uuid}`);
    const links = html`<p>${texts.overview.cancelledText(format.percentText(threshold))}</p>
      <p class="row">
        <a class="btn primary" href="${path}">${texts.overview.lookAtIt}</a
        ><a class="btn" href="${path}#who">${texts.imports.whoWouldLeave}</a>
      </p>`;
    return note('bad', title, links, { isAlert: true });
  }
  if (newest.state === 'failed')
    return note(
      'bad',
      texts.overview.failed,
      html`<p><a href="${at(visit, `/imports/${newest.import_uuid}`)}">${texts.overview.lookAtIt}</a></p>`,
      { isAlert: true },
    );
  const nightly =
    imports.filter(({ accepted_at }) => Date.parse(accepted_at) > Date.now() - NIGHTS * DAY_MS).length >= NIGHTS / 2;
  const isQuiet = nightly && Date.now() - Date.parse(newest.accepted_at) > QUIET_MS;
  return isQuiet
    ? note('warn', texts.overview.quiet(format.time(newest.accepted_at)), html`<p>${texts.overview.quietText}</p>`)
    : none;
}

function firstSteps(visit: AccountVisit, isConnected: boolean, imports: readonly ImportSummary[]): Html {
  const { texts } = visit;
  const { steps } = texts.overview;
  const step = (isDone: boolean, path: string, text: string): Html =>
    html`<li class="row">
      ${tag(isDone ? 'on' : 'off', isDone ? texts.common.done : texts.common.open)} <a href="${at(visit, path)}">${text}</a>
    </li>`;
  return html`<div class="panel pad">
    <h2>${steps.title}</h2>
    <ol class="plain fields">
      ${step(isConnected, '/integration', steps.connect)}${step(false, '/dry-run', steps.dryRun)}${step(imports.length > 0, '/imports', steps.firstImport)}
    </ol>
  </div>`;
}

const recent = (visit: AccountVisit, entries: readonly AuditEntry[]): Html =>
  panel(table(visit.texts.overview.recent, auditColumns(visit).slice(0, 3), entries, visit.texts.audit.none));
