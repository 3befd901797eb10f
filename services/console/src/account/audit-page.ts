import type { AuditEntry } from '@survey/proto/admin/v1/admin.ts';
import { z } from 'zod';
import { integerIn } from '../views/form-results.ts';
import { DAY_MS } from '../views/format.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, head, listPanel, select, table, type Column } from '../views/parts.ts';
import type { Texts } from '../texts/en.ts';
import type { AccountVisit, Reply } from '../visit.ts';

const PAGE = 50;
const CSV_PAGE = 1_000;
const EVERYTHING = 'all';
/** Who signs in changes nothing. */
export const SIGN_INS = 'sign-';

// Bounded: the state of one object that this product has written.
const object = z.record(z.string(), z.unknown());

export async function getAudit(visit: AccountVisit): Promise<Reply> {
  const { texts, query } = visit;
  const chosen = chosenFilters(query);
  const { actor, action, from, to } = chosen;
  const before = integerIn(query, 'before');
  const { entries } = await visit.admin.listAudit({ ...filtersOf(chosen), limit: PAGE, before_id: before });
  const choices = [
    { value: '', text: texts.audit.changes },
    { value: EVERYTHING, text: texts.audit.everything },
    ...Object.entries(texts.audit.groups).map(([value, text]) => ({ value, text })),
  ];
  const older = entries.length === PAGE ? new URLSearchParams({ ...chosen, before: String(entries.at(-1)?.id) }) : undefined;
  const csv = html`<a class="btn" href="${at(visit, `/audit.csv?${new URLSearchParams(chosen).toString()}`)}"
    >${texts.common.csv}</a
  >`;
  const body = html`${head(texts.audit.title, { lead: texts.audit.lead, actions: csv })}
  ${listPanel(visit, {
    title: texts.audit.title,
    field: texts.audit.who,
    name: 'actor',
    value: actor,
    filters: html`<label class="sr" for="action">${texts.audit.what}</label
      >${select('action', action, choices)}${dayInput('from', texts.audit.from, from)}${dayInput('to', texts.audit.to, to)}`,
    rows: table(texts.audit.title, [...auditColumns(visit, entries), requestColumn(visit)], entries, texts.audit.none),
    foot: texts.common.shown(entries.length),
    next: older !== undefined && `?${older.toString()}`,
  })}`;
  return { page: { title: texts.audit.title, section: 'audit', body } };
}

interface AuditFilters extends Record<string, string> {
  readonly actor: string;
  readonly action: string;
  // Days in UTC, such as 2026-11-22; both are included.
  readonly from: string;
  readonly to: string;
}

function chosenFilters(query: URLSearchParams): AuditFilters {
  const day = (name: string): string => (isDay(query.get(name)) ? (query.get(name) ?? '') : '');
  return { actor: query.get('actor') ?? '', action: query.get('action') ?? '', from: day('from'), to: day('to') };
}

// Years that mean the same to PostgreSQL, even for the following day.
const isDay = (text: string | null): boolean => z.iso.date().safeParse(text).success && !/^(?:0000|9999)/.test(text ?? '');

function filtersOf({ actor, action, from, to }: AuditFilters) {
  return {
    actor: actor || undefined,
    action: action === EVERYTHING ? undefined : action || undefined,
    except_action: action === '' ? SIGN_INS : undefined,
    since: from === '' ? undefined : `${from}T00:00:00Z`,
    until: to === '' ? undefined : new Date(Date.parse(to) + DAY_MS).toISOString(),
  };
}

function dayInput(name: string, label: string, value: string): Html {
  return html`<span class="day"
    ><label for="${name}">${label}</label><input id="${name}" type="date" name="${name}" value="${value}"
  /></span>`;
}

/** Returns the columns of entries in the order of the list: the first one of a day has the day. */
export function auditColumns(visit: AccountVisit, entries: readonly AuditEntry[]): Column<AuditEntry>[] {
  const { texts, format } = visit;
  const isFirst = (entry: AuditEntry): boolean => {
    const previous = entries[entries.indexOf(entry) - 1];
    return previous === undefined || format.dayNumber(previous.at) !== format.dayNumber(entry.at);
  };
  return [
    {
      title: texts.audit.when,
      cell: (entry) =>
        html`${isFirst(entry) && html`<b>${format.day(entry.at)}</b><br />`}<time
            class="muted"
            datetime="${entry.at}"
            title="${format.utc(entry.at)}"
            >${format.clock(entry.at)}</time
          >`,
    },
    { title: texts.audit.what, cell: (entry) => describe(visit, entry) },
    { title: texts.audit.who, cell: (entry) => who(visit, entry) },
  ];
}

// For support.
const requestColumn = ({ texts: { audit: t } }: AccountVisit): Column<AuditEntry> => ({
  title: t.request,
  isAction: true,
  cell: ({ request_id, rejection }) =>
    html`<details class="more">
      <summary><span aria-hidden="true">⋯</span><span class="sr">${t.request}</span></summary>
      <code class="small">${request_id ?? '–'}${rejection != null && html`<br />${inWords(t.rejections, rejection)}`}</code>
    </details>`,
});

const inWords = (words: Readonly<Record<string, string>>, code: string): string => words[code] ?? code;

function who({ texts }: AccountVisit, { actor, actor_kind, reason }: AuditEntry): Html {
  return html`<bdi>${actorText(texts, actor)}</bdi><br /><span class="muted small"
      >${inWords(texts.audit.kinds, actor_kind)}${reason == null ? none : html`: ${reason}`}</span
    >`;
}

/** Returns who did something; account-admin has no name for some, such as `employee 17`. */
export const actorText = ({ audit }: Texts, actor: string): string =>
  actor.replace(/(?<=^|\()(?:operator|employee|invitation)(?= \d|$)/, (word) => audit.actors[word as keyof typeof audit.actors]);

function describe(visit: AccountVisit, { action, before, after, ...entry }: AuditEntry): Html {
  const { texts } = visit;
  const actions: Readonly<Record<string, string>> = texts.audit.actions;
  const outcomes: Readonly<Record<string, string>> = texts.audit.outcomes;
  // Release 0.1 wrote an entry of its own for what was rejected.
  const isOldRejection = actions[action] === undefined && action.endsWith('.rejected');
  const what = isOldRejection ? action.slice(0, -'.rejected'.length) : action;
  const outcome = outcomes[isOldRejection ? 'rejected' : (entry.outcome ?? 'done')];
  const changes = changesOf(visit, before, after);
  return html`${actions[what] ?? what}${outcome && html` <b>(${outcome})</b>`}${changes.length > 0 && html`<br /><span class="muted small">${changes.map((change, index) => html`${index > 0 && '; '}<bdi>${change}</bdi>`)}</span>`}`;
}

// Shown even if unchanged: they tell what was changed.
const NAMES = new Set(['name', 'prefix', 'accepted_at', 'would_offboard']);
const MAX_CHANGES = 6;
const MAX_VALUE = 80;
const DAY_SECONDS = DAY_MS / 1_000;

/** Returns the differences between before and after. Fields without words are only in the CSV. */
function changesOf(visit: AccountVisit, before: string | null | undefined, after: string | null | undefined): string[] {
  const { texts } = visit;
  const [old, now] = [parse(before), parse(after)];
  const periods = Object.entries(texts.retention.names).map(([name, text]) => [`retain_${name}`, text] as const);
  return [...Object.entries(texts.audit.fields), ...periods]
    .flatMap(([name, field]) => {
      const isName = NAMES.has(name);
      const one = displayed(visit, name, old[name]);
      const isOmitted = !(name in now);
      const other = isName && isOmitted ? one : displayed(visit, name, now[name]);
      const isUnchanged = one === other || (after != null && isOmitted);
      if (isName ? one === '' && other === '' : isUnchanged) return [];
      const change = one === '' || one === other || after == null ? one || other : `${one} → ${other || '–'}`;
      return [field === '' ? change : `${field}: ${change}`];
    })
    .slice(0, MAX_CHANGES);
}

function parse(json: string | null | undefined): Readonly<Record<string, unknown>> {
  return json == null ? {} : (object.safeParse(JSON.parse(json)).data ?? {});
}

// How stored values are shown, by field.
function formatsOf({ texts, format }: AccountVisit): Readonly<Record<string, (value: string) => string>> {
  const { audit, guard, imports, keys, mailSettings, retention, settings } = texts;
  const word = (words: Readonly<Record<string, string>>) => (value: string) => words[value] ?? value;
  const erasedAnswers = word(audit.erasedAnswers);
  const onOff = word({ true: settings.on, false: settings.off });
  const days = (value: string): string => retention.days(format.number(Number(value)));
  return {
    after_seconds: (value) => days(String(Number(value) / DAY_SECONDS)),
    answers: erasedAnswers,
    categorisation: onOff,
    default_language: format.languageName,
    deletion_threshold: format.percentText,
    disclosure_guard: word({ strict: guard.strict, off: guard.off }),
    employee_id: String,
    erased_answers: erasedAnswers,
    grace_seconds: word(keys.graces),
    identity_threshold: format.percentText,
    import_schedule: word(mailSettings.schedules),
    language: format.languageName,
    masking: onOff,
    masking_categories: word(settings.categoryNames),
    notices_off: word(mailSettings.kindNames),
    on_return: word(audit.onReturn),
    stage: word(settings.stages),
    // Of a dry run: its outcome and the number of its records.
    what: (value) =>
      value.replace(/^(applied|cancelled), (\d+)$/, (_all, state: string, records: string) =>
        audit.dryRun(word(imports.states)(state), format.number(Number(records))),
      ),
    ...Object.fromEntries(Object.keys(retention.names).map((name) => [`retain_${name}`, days])),
  };
}

const isInstant = (text: string): boolean => z.iso.datetime({ offset: true }).safeParse(text).success;

function displayed(visit: AccountVisit, field: string, value: unknown): string {
  const { texts, format } = visit;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && field === 'handles') return format.number(value.length);
  if (Array.isArray(value)) return format.list(value.map((each) => displayed(visit, field, each)));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const formatOfField = formatsOf(visit)[field];
  if (formatOfField !== undefined) return formatOfField(text);
  if (typeof value === 'boolean') return value ? texts.admins.signedIn : texts.audit.no;
  if (typeof value === 'number') return format.number(value);
  if (isInstant(text)) return format.time(text);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

/** Exports the audit log with the filters of the page, newest first. */
export async function getAuditCsv(visit: AccountVisit): Promise<Reply> {
  await visit.noteAudit(visit.account, 'download', 'audit.csv');
  return { csv: `audit-${visit.account.id}.csv`, rows: auditRows(visit) };
}

async function* auditRows(visit: AccountVisit): AsyncGenerator<string[]> {
  yield ['at', 'actor_kind', 'actor', 'action', 'before', 'after', 'reason', 'request_id', 'address', 'outcome', 'rejection'];
  for (let before: number | undefined; ;) {
    const { entries } = await visit.admin.listAudit({
      ...filtersOf(chosenFilters(visit.query)),
      limit: CSV_PAGE,
      before_id: before,
    });
    for (const each of entries)
      yield [
        each.at,
        each.actor_kind,
        each.actor,
        each.action,
        each.before ?? '',
        each.after ?? '',
        each.reason ?? '',
        each.request_id ?? '',
        each.address ?? '',
        each.outcome ?? '',
        each.rejection ?? '',
      ];
    before = entries.at(-1)?.id;
    if (entries.length < CSV_PAGE) return;
  }
}
