import type { DeadLetter, DeferredFactCount, Settings } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import type { StageStatus, TopicModel } from '@survey/rpc/gen/survey/text/v1/topics.ts';
import { notFoundPage } from '../page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import {
  at,
  choiceField,
  definitions,
  errorSummary,
  foot,
  form,
  formFields,
  head,
  orUnavailable,
  panel,
  section,
  table,
  tag,
  textField,
  type FieldErrors,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { doneNote, optional } from './common.ts';
import { retentionFields } from './personal-data.ts';

const SHOWN = 100;
const STAGES = ['mask', 'categorise', 'sentiment'] as const;

/** Shows the decisions reserved for operators, inside an account that they have entered. */
export async function getAccountOperation(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, session } = visit;
  if (!session.isOperator) throw notFoundPage();
  const { operate: t } = texts;
  const [settings, { issuers }, deferred, status, models, letters] = await Promise.all([
    visit.admin.showSettings({}),
    visit.admin.showIssuers({}),
    optional(visit.admin.countDeferredFacts({})),
    optional(visit.topics.showTextStatus({})),
    optional(visit.topics.listTopicModels({})),
    optional(visit.admin.listDeadLetters({ source: visit.query.get('source') ?? '', limit: SHOWN })),
  ]);
  const access = html`<a class="btn" href="${at(visit, '/operate/access')}">${t.access}</a
    ><a class="btn" href="${at(visit, '/operate/employees')}">${texts.employee.title}</a
    ><a class="btn" href="${at(visit, '/operate/deletion')}">${texts.deletion.title}</a>`;
  const body = html`${head(t.inAccount, { lead: t.inAccountLead, actions: access })}${errorSummary(visit, errors)}${doneNote(visit)}
  ${section(t.contract, contract(visit, settings, errors))} ${section(t.issuers, issuerForm(visit, issuers, errors))}
  ${section(
    t.texts,
    orUnavailable(visit, status, ({ stages }) => textWork(visit, stages)),
  )}
  ${section(
    t.models,
    orUnavailable(visit, models, ({ models: found }) => topicModels(visit, found)),
  )}
  ${section(
    t.waiting,
    orUnavailable(visit, deferred, ({ waiting }) => readDeferredFacts(visit, waiting)),
  )}
  ${section(
    t.deadLetters,
    orUnavailable(visit, letters, ({ dead_letters }) => deadLetters(visit, dead_letters)),
  )}`;
  return { page: { title: t.inAccount, section: 'operate', status: Object.keys(errors).length > 0 ? 422 : 200, body } };
}

function contract(visit: AccountVisit, settings: Settings, errors: FieldErrors): Html {
  const { texts } = visit;
  const { operate: t } = texts;
  const onOff = (name: string, label: string, isOn: boolean): Html =>
    choiceField(name, {
      type: 'radio',
      label,
      values: [isOn ? 'on' : 'off'],
      choices: [
        { value: 'on', text: texts.settings.on },
        { value: 'off', text: texts.settings.off },
      ],
    });
  const rate = settings.rate_limit == null ? '' : String(settings.rate_limit);
  return form(
    visit,
    at(visit, '/operate'),
    html`<input type="hidden" name="version" value="${settings.version}" />
      ${onOff('entitled', `${texts.settings.maskingLabel}: ${texts.settings.entitlement}`, settings.masking_entitled)}
      ${textField('rate', { label: t.rateLimit, hint: t.rateLimitHint, inputmode: 'numeric', value: rate, error: errors['rate'] })}
      ${onOff('external_masker', t.externalMasker, settings.external_masker)}
      ${onOff('external_text_models', t.externalModels, settings.external_text_models)}
      ${retentionFields(visit, settings, errors)} ${foot(texts.common.save)}`,
  );
}

function issuerForm(visit: AccountVisit, issuers: readonly string[], errors: FieldErrors): Html {
  const { texts } = visit;
  const { operate: t } = texts;
  const error = errors['issuers'];
  const value = visit.form.get('issuers') ?? issuers.join('\n');
  return form(
    visit,
    at(visit, '/operate/issuers'),
    html`<div class="set">
        <div>
          <label for="issuers">${t.issuers}</label>
          <p id="issuers-hint">${t.issuersHint}</p>
        </div>
        <div class="field">
          <textarea id="issuers" name="issuers" rows="3" aria-describedby="issuers-hint">${value}</textarea
          >${error !== undefined && html`<p class="err">${error}</p>`}
        </div>
      </div>
      ${foot(texts.common.save)}`,
  );
}

function textWork(visit: AccountVisit, stages: readonly StageStatus[]): Html {
  const { texts, format } = visit;
  const { operate: t } = texts;
  const names: Readonly<Record<string, string>> = texts.settings.stages;
  const rows = stages.map(({ stage, waiting, in_progress, not_enqueued, given_up }) => {
    const gaveUp = given_up.reduce((sum, { answers }) => sum + answers, 0);
    const text = t.stage(format.number(waiting + not_enqueued), format.number(in_progress), format.number(gaveUp));
    return [names[stage] ?? stage, text] as const;
  });
  const buttons = STAGES.map((stage) => small(visit, `/operate/rebuild/${stage}`, t.rebuild(texts.settings.stages[stage])));
  return panel(
    html`<div class="pad">${definitions(rows)}</div>`,
    html`<div class="foot">${small(visit, '/operate/retry', t.retry)}${buttons}</div>`,
  );
}

function topicModels(visit: AccountVisit, models: readonly TopicModel[]): Html {
  const { texts, format } = visit;
  const { operate: t, topics } = texts;
  const f1 = (value: number): string => format.number(Math.round(value * 100) / 100);
  return panel(
    table<TopicModel>(
      t.models,
      [
        {
          title: topics.trained,
          cell: ({ trained_at, is_active }) => html`${format.time(trained_at)} ${is_active ? tag('on', t.activeModel) : none}`,
        },
        { title: topics.decisions, isNumber: true, isOptional: true, cell: ({ examples }) => format.number(examples) },
        { title: topics.byKeywords, isNumber: true, isOptional: true, cell: ({ keywords_f1 }) => `F1 ${f1(keywords_f1)}` },
        { title: topics.byLearning, isNumber: true, cell: ({ model_f1 }) => `F1 ${f1(model_f1)}` },
      ],
      models,
      t.noModels,
    ),
    models.some(({ is_active }) => is_active)
      ? html`<div class="foot">
          ${small(visit, '/operate/roll-back', t.rollBack)}<span class="muted small">${t.rollBackAside}</span>
        </div>`
      : none,
  );
}

function readDeferredFacts({ texts, format }: AccountVisit, waiting: readonly DeferredFactCount[]): Html {
  const { operate: t } = texts;
  return panel(
    table<DeferredFactCount>(
      t.waiting,
      [
        { title: t.keeper, cell: ({ service, kind }) => `${service}: ${kind}` },
        { title: t.facts, isNumber: true, cell: ({ facts }) => format.number(facts) },
      ],
      waiting,
      t.noneWaiting,
    ),
  );
}

function deadLetters({ texts, format, query }: AccountVisit, letters: readonly DeadLetter[]): Html {
  const { operate: t } = texts;
  return panel(
    html`<form class="bar" role="search" aria-label="${t.deadLetters}">
      <label class="sr" for="source">${t.source}</label
      ><input id="source" type="search" name="source" value="${query.get('source') ?? ''}" placeholder="${t.source}" /><button>
        ${texts.common.show}
      </button>
    </form>`,
    table<DeadLetter>(
      t.deadLetters,
      [
        { title: t.line, cell: ({ line }) => format.number(line) },
        { title: t.kind, cell: ({ kind, rejected_by }) => `${rejected_by}: ${kind}` },
        { title: texts.imports.why, cell: ({ reason }) => html`<span lang="en">${reason}</span>` },
      ],
      letters,
      t.noDeadLetters,
    ),
  );
}

const small = (visit: AccountVisit, path: string, label: string): Html => {
  const action = at(visit, path);
  return html`<form method="post" action="${action}">${formFields(visit, action)}<button>${label}</button></form>`;
};
