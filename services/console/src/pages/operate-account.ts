import { notFoundPage } from '../page-error.ts';
import { html, type Html } from '../views/html.ts';
import {
  at,
  choiceField,
  definitions,
  errorSummary,
  foot,
  form,
  formFields,
  head,
  panel,
  section,
  table,
  textField,
  type FieldErrors,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { doneNote, optional, rejection } from './common.ts';

const SHOWN = 100;

// Decisions reserved for operators, inside an account that they have entered.
export async function getAccountOperation(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, format, session } = visit;
  if (!session.isOperator) throw notFoundPage();
  const { operate: t } = texts;
  const [settings, { issuers }, waiting, status, letters] = await Promise.all([
    visit.ask('showSettings', {}),
    visit.ask('showIssuers', {}),
    optional(visit.ask('countDeferredFacts', {})),
    optional(visit.askTopics('showTextStatus', {})),
    optional(visit.ask('listDeadLetters', { source: visit.query.get('source') ?? '', limit: SHOWN })),
  ]);
  const onOff = [
    { value: 'on', text: texts.settings.on },
    { value: 'off', text: texts.settings.off },
  ];
  const path = at(visit, '/operate');
  const body = html`${head(t.inAccount, { lead: t.inAccountLead })}${errorSummary(visit, errors)}${doneNote(visit)}
  ${section(
    t.contract,
    form(
      visit,
      path,
      html`<input type="hidden" name="version" value="${settings.version}" />
        ${choiceField('entitled', { type: 'radio', label: texts.settings.entitlement, values: [settings.masking_entitled ? 'on' : 'off'], choices: onOff })}
        ${textField('rate', { label: t.rateLimit, hint: t.rateLimitHint, inputmode: 'numeric', value: settings.rate_limit == null ? '' : String(settings.rate_limit), error: errors['rate'] })}
        ${choiceField('external_masker', { type: 'radio', label: t.externalMasker, values: [settings.external_masker ? 'on' : 'off'], choices: onOff })}
        ${choiceField('external_text_models', { type: 'radio', label: t.externalModels, values: [settings.external_text_models ? 'on' : 'off'], choices: onOff })}
        ${foot(texts.common.save)}`,
    ),
  )}
  ${section(
    t.issuers,
    form(
      visit,
      `${path}/issuers`,
      html`<div class="set">
          <div>
            <label for="issuers">${t.issuers}</label>
            <p id="issuers-hint">${t.issuersHint}</p>
          </div>
          <div class="field">
            <textarea id="issuers" name="issuers" rows="3" aria-describedby="issuers-hint">${issuers.join('\n')}</textarea
            >${errors['issuers'] !== undefined && html`<p class="err">${errors['issuers']}</p>`}
          </div>
        </div>
        ${foot(texts.common.save)}`,
    ),
  )}
  ${section(
    t.texts,
    panel(
      html`<div class="pad">
        ${definitions((status?.stages ?? []).map(({ stage, waiting: open, in_progress, not_enqueued, given_up }) => [stage, t.stage(format.number(open + not_enqueued), format.number(in_progress), format.number(given_up.reduce((sum, { answers }) => sum + answers, 0)))] as const))}
      </div>`,
      html`<div class="foot">
        ${small(visit, `${path}/retry`, t.retry)}${['mask', 'categorise', 'sentiment'].map((stage) => small(visit, `${path}/rebuild/${stage}`, t.rebuild(stage)))}
      </div>`,
    ),
  )}
  ${section(
    t.waiting,
    panel(
      table(
        t.waiting,
        [
          {
            title: t.keeper,
            cell: ({ service, kind }: { service: string; kind: string; facts: number }) => `${service}: ${kind}`,
          },
          { title: t.facts, isNumber: true, cell: ({ facts }) => format.number(facts) },
        ],
        waiting?.waiting ?? [],
        t.noneWaiting,
      ),
    ),
  )}
  ${section(
    t.deadLetters,
    panel(
      html`<form class="bar" role="search" aria-label="${t.deadLetters}">
        <label class="sr" for="source">${t.source}</label
        ><input
          id="source"
          type="search"
          name="source"
          value="${visit.query.get('source') ?? ''}"
          placeholder="${t.source}"
        /><button>${texts.common.show}</button>
      </form>`,
      table(
        t.deadLetters,
        [
          {
            title: t.line,
            cell: ({ line }: { line: number; kind: string; reason: string; rejected_by: string }) => format.number(line),
          },
          { title: t.kind, cell: ({ kind, rejected_by }) => `${rejected_by}: ${kind}` },
          { title: texts.imports.why, cell: ({ reason }) => html`<span lang="en">${reason}</span>` },
        ],
        letters?.dead_letters ?? [],
        t.noDeadLetters,
      ),
    ),
  )}`;
  return { page: { title: t.inAccount, section: 'operate', status: Object.keys(errors).length > 0 ? 422 : 200, body } };
}

const small = (visit: AccountVisit, path: string, label: string): Html =>
  html`<form method="post" action="${path}">${formFields(visit, path)}<button>${label}</button></form>`;

export async function postAccountOperation(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given, session } = visit;
  if (!session.isOperator) throw notFoundPage();
  const rate = (given.get('rate') ?? '').trim();
  if (!/^\d{0,7}$/.test(rate)) return getAccountOperation(visit, { rate: texts.operate.rateError });
  const is = (name: string): boolean => given.get(name) === 'on';
  try {
    await visit.ask('setSettings', {
      masking_categories: null,
      masking_entitled: is('entitled'),
      rate_limit: Number(rate || 0),
      external_masker: is('external_masker'),
      external_text_models: is('external_text_models'),
      expected_version: Number(given.get('version')),
    });
  } catch (error) {
    return getAccountOperation(visit, {
      rate: rejection(visit, error, { conflict: texts.settings.conflict, invalid: texts.operate.rateError }),
    });
  }
  return { redirect: at(visit, '/operate?done=saved') };
}

export async function postIssuers(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given, session } = visit;
  if (!session.isOperator) throw notFoundPage();
  const issuers = (given.get('issuers') ?? '').split(/\s+/).filter((each) => each !== '');
  try {
    await visit.ask('setIssuers', { issuers });
  } catch (error) {
    return getAccountOperation(visit, { issuers: rejection(visit, error, { invalid: texts.operate.issuersError }) });
  }
  return { redirect: at(visit, '/operate?done=saved') };
}

export async function postRetry(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  await visit.askTopics('retryText', {});
  return { redirect: at(visit, '/operate?done=saved') };
}

/** Enqueues a stage again, one range of answers at a time. */
export async function postRebuild(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  const stage = visit.params['stage'] ?? '';
  for (let from: number | undefined; ;) {
    const { next_answer } = await visit.askTopics('rebuildText', { stage, from_answer: from });
    if (next_answer == null) break;
    from = next_answer;
  }
  return { redirect: at(visit, '/operate?done=saved') };
}
