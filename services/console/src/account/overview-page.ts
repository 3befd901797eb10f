import { percentNextTo } from '@survey/formats/percent.ts';
import type { ApiKey, AuditEntry, ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import type { ShowTextStatusResponse } from '@survey/proto/text/v1/topics.ts';
import { importPlot } from '../imports/import-parts.ts';
import { DAY_MS } from '../views/format.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, definitions, note, orUnavailable, panel, section, table, tag, type Mark } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { auditColumns, SIGN_INS } from './audit-page.ts';
import { doneNote, optional } from '../views/form-results.ts';
import { isActive, nameOf } from '../keys/new-key-page.ts';
import { doneText, maskingTag, percentDone } from '../settings/settings-page.ts';

const NIGHTS = 14;
// With fewer, a plot has one bar at its edge.
const ENOUGH_DAYS = 3;
const RECENT = 5;
const CHANGES = ['created', 'updated', 'reactivated', 'offboarded'] as const;
const STATUS = { on: 'g', off: '', warn: 'w', bad: 'b' } as const;
const QUIET_MS = 36 * 3_600_000;
const EARLY_MS = 3_600_000;

export async function getOverview(visit: AccountVisit): Promise<Reply> {
  const { texts } = visit;
  const { overview: t } = texts;
  const [integration, { imports }, keys, attributes, settings, audit, textStatus] = await Promise.all([
    visit.admin.showIntegration({}),
    visit.admin.listImports({ limit: 100 }),
    optional(visit.admin.listKeys({})),
    optional(visit.admin.listAttributes({})),
    optional(visit.admin.showSettings({})),
    optional(visit.admin.listAudit({ limit: RECENT, except_action: SIGN_INS })),
    optional(visit.topics.showTextStatus({})),
  ]);
  const active = keys?.keys.filter(isActive);
  const state = definitions([
    [t.integration, integration.connected ? tag('on', texts.integration.connected) : tag('off', texts.integration.notConnected)],
    [t.activeKeys, active === undefined ? '–' : visit.format.number(active.length)],
    [t.releasedAttributes, attributes === undefined ? '–' : releasedText(visit, attributes.attributes)],
    [t.masking, settings === undefined ? '–' : maskingTag(visit, settings)],
    [t.answers, textStatus === undefined ? '–' : answersDone(visit, textStatus)],
  ]);
  const { mark, title, text, actions } = statusOf(visit, imports);
  const isNew = imports.length === 0 || daysOf(visit, imports) < ENOUGH_DAYS;
  const history = section(t.nights, panel(importPlot(visit, lastNights(imports))), {
    aside: html`<a href="${at(visit, '/imports')}">${t.allImports}</a>`,
  });
  const body = html`<div class="status ${STATUS[mark]}" ${mark === 'bad' ? html` role="alert"` : none}>
      ${tag(mark, t.marks[mark])}
      <h1>${title}</h1>
      <p>${text}</p>
      ${actions && html`<p class="row">${actions}</p>`}
    </div>
    ${doneNote(visit)}${settings?.guard_decided === false ? guardNote(visit) : none}${invitationNote(visit)}${(active ?? []).map((key) => endingKey(visit, key))}
    <div class="cols block">
      ${isNew ? firstSteps(visit, integration.connected, imports, active, settings?.guard_decided === true) : history}
      ${section(texts.imports.state, html`<div class="panel pad">${state}</div>`)}
    </div>
    ${section(
      t.recent,
      orUnavailable(visit, audit, ({ entries }) => recentEntries(visit, entries)),
      { aside: html`<a href="${at(visit, '/audit')}">${texts.nav.audit}</a>` },
    )}`;
  return { page: { title: texts.nav.overview, section: 'overview', body } };
}

// Asks until somebody has decided, because the account would otherwise keep a default.
function guardNote(visit: AccountVisit): Html {
  const { guard: t } = visit.texts;
  const link = html`<a class="btn" href="${at(visit, '/guard/decision')}">${t.decide}</a>`;
  return note(
    'plain',
    t.askTitle,
    html`<p>${t.askText}</p>
      <p class="row">${link}</p>`,
  );
}

function invitationNote({ session, account, texts }: AccountVisit): Html {
  const isInvited = session.accounts.some(({ id, principal }) => id === account.id && principal.kind === 'invited');
  return isInvited ? note('plain', texts.overview.invited, html`<p>${texts.overview.invitedText}</p>`) : none;
}

function endingKey(visit: AccountVisit, key: ApiKey): Html {
  const { texts, format } = visit;
  if (key.ends_at == null) return none;
  const { overview: t } = texts;
  const used = key.last_used_at == null ? t.keyUnused : t.keyUsed(format.time(key.last_used_at));
  const title = t.keyEnds(nameOf(visit, key), format.time(key.ends_at));
  return note('warn', title, html`<p>${used} <a href="${at(visit, '/keys')}">${texts.keys.title}</a></p>`);
}

const lastNights = (imports: readonly ImportSummary[]): ImportSummary[] =>
  imports.filter(({ accepted_at }) => Date.parse(accepted_at) > Date.now() - NIGHTS * DAY_MS);

const releasedText = (
  { texts, format }: AccountVisit,
  attributes: readonly { released_at?: string | null | undefined }[],
): string =>
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

interface Status {
  readonly mark: Mark;
  readonly title: string;
  readonly text: string;
  readonly actions?: Html;
}

// Answers whether all is well: a decision first, then possible problems.
function statusOf(visit: AccountVisit, imports: readonly ImportSummary[]): Status {
  const { texts, format } = visit;
  const { overview: t } = texts;
  const [newest] = imports;
  if (newest === undefined) return { mark: 'off', title: t.nothingYet, text: t.nothingYetText };
  const { state, employees_total, accepted_at, import_uuid, managed, would_offboard } = newest;
  const path = at(visit, `/imports/${import_uuid}`);
  const [time, sent] = [format.time(accepted_at), format.number(employees_total)];
  const review = html`<a class="btn primary" href="${path}">${t.review}</a>`;
  if (newest.can_allow_deletes === true && managed != null && would_offboard != null) {
    const threshold = newest.deletion_threshold ?? '0';
    const share = format.percentText(percentNextTo(threshold, would_offboard, managed));
    return {
      mark: 'bad',
      title: t.cancelled,
      text: t.cancelledText(time, format.number(would_offboard), format.number(managed), share, format.percentText(threshold)),
      actions: html`${review}<a class="btn" href="${path}#who">${t.showOffboarded}</a>`,
    };
  }
  if (state === 'failed') return { mark: 'bad', title: t.failed, text: t.failedText(time), actions: review };
  if (state === 'cancelled') return { mark: 'bad', title: t.wasCancelled, text: t.wasCancelledText(time), actions: review };
  if (state === 'accepted') return { mark: 'off', title: t.running, text: t.runningText(time, sent) };
  const nights = lastNights(imports);
  const isNightly = nights.length >= NIGHTS / 2;
  if (isNightly && Date.now() - Date.parse(accepted_at) > QUIET_MS)
    return { mark: 'warn', title: t.quiet, text: t.quietText(time) };
  const next = isNightly ? ` ${t.next(format.time(nextOf(nights)))}` : '';
  const skipped = newest.counts?.skipped ?? 0;
  const text = `${t.applied(time, sent, changesOf(visit, newest))}${next}`;
  if (skipped === 0) return { mark: 'on', title: t.inOrder, text };
  return { mark: 'warn', title: t.someSkipped(skipped, format.number(skipped)), text, actions: review };
}

// At the usual time of day, which an import in between does not move.
function nextOf(nights: readonly ImportSummary[]): string {
  const times = nights.map(({ accepted_at }) => Date.parse(accepted_at) % DAY_MS).toSorted((one, other) => one - other);
  const usual = times[Math.floor(times.length / 2)] ?? 0;
  // Not the one that has just come somewhat early.
  const earliest = Math.max(Date.now(), Date.parse(nights[0]?.accepted_at ?? '') + EARLY_MS);
  return new Date(Math.ceil((earliest - usual) / DAY_MS) * DAY_MS + usual).toISOString();
}

function changesOf({ texts, format }: AccountVisit, { counts }: ImportSummary): string {
  const changed = CHANGES.flatMap((name) => {
    const count = counts?.[name] ?? 0;
    return count === 0 ? [] : [texts.overview.changes[name](format.number(count))];
  });
  return changed.length === 0 ? texts.overview.noChanges : format.list(changed);
}

function daysOf({ format }: AccountVisit, imports: readonly ImportSummary[]): number {
  return new Set(imports.map(({ accepted_at }) => format.dayNumber(accepted_at))).size;
}

function firstSteps(
  visit: AccountVisit,
  isConnected: boolean,
  imports: readonly ImportSummary[],
  keys: readonly ApiKey[] | undefined,
  isDecided: boolean,
): Html {
  const { common, overview } = visit.texts;
  const { steps } = overview;
  const step = (isDone: boolean, path: string, text: string): Html =>
    html`<li>${tag(isDone ? 'on' : 'off', isDone ? common.done : common.open)} <a href="${at(visit, path)}">${text}</a></li>`;
  const hasKey = keys?.some(({ scope }) => scope === 'employees:write') === true;
  return section(
    steps.title,
    html`<div class="panel pad">
      <ol class="plain steps">
        ${step(isConnected, '/integration', steps.connect)}${step(hasKey, '/integration', steps.key)}${step(imports.length > 0, '/dry-run', steps.dryRun)}${step(
          imports.some(({ state }) => state === 'applied'),
          '/imports',
          steps.firstImport,
        )}${step(isDecided, '/guard', steps.guard)}
      </ol>
    </div>`,
  );
}

const recentEntries = (visit: AccountVisit, entries: readonly AuditEntry[]): Html =>
  panel(table(visit.texts.overview.recent, auditColumns(visit, entries), entries, visit.texts.audit.none));
