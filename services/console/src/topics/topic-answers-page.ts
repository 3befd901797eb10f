import type { Topic, TopicAnswer } from '@survey/proto/text/v1/topics.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, form, select, table, type FieldErrors } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { formPage, integerIn, rejection } from '../views/form-results.ts';
import { findTopic } from './topics-page.ts';

const PAGE = 25;
const MIN_REASON = 3;

/**
 * Shows the texts with a topic that GET /v1/text_responses returns now: without respondent, time,
 * survey and cycle, in the order of that endpoint.
 */
export async function getTopicAnswers(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, format } = visit;
  const { topics: t } = texts;
  const { topic, topics } = await findTopic(visit);
  const path = at(visit, `/topics/${topic.topic_id}`);
  const offset = integerIn(visit.query, 'from') ?? 0;
  const { answers, total } = await visit.topics.listTopicAnswers({ topic: topic.name, limit: PAGE, offset });
  const title = t.textsOf(topic.name);
  const next = offset + PAGE < total ? html`<a href="?from=${offset + PAGE}">${texts.common.next}</a>` : none;
  const last = Math.min(offset + PAGE, total);
  const body = form(
    visit,
    `${path}/answers`,
    html`<input type="hidden" name="from" value="${offset}" />${answerTable(visit, answers)}
      <div class="tfoot"><span>${t.range(format.number(last), format.number(total))}</span>${next}</div>
      ${answers.length > 0 && html`<div class="stuck">${target(visit, topic, topics)}${withholding(visit, errors)}</div>`}`,
  );
  const crumb = { path, text: topic.name };
  return formPage(visit, title, { section: 'topics', lead: t.textsLead, crumb, errors }, body);
}

function answerTable({ texts, form: typed }: AccountVisit, answers: readonly TopicAnswer[]): Html {
  const { topics: t } = texts;
  const chosen = new Set(typed.getAll('answer'));
  return table<TopicAnswer>(
    t.releasedTexts,
    [
      {
        title: t.text,
        cell: ({ handle, text }) =>
          html`<label class="check"
            ><input type="checkbox" name="answer" value="${handle}" ${chosen.has(handle) ? html` checked` : none} />
            <span class="text">${text}</span></label
          >`,
      },
      { title: t.title, isOptional: true, cell: ({ topics }) => topics.join(', ') },
    ],
    answers,
    t.noTexts,
  );
}

function target({ texts, form: typed }: AccountVisit, topic: Topic, topics: readonly Topic[]): Html {
  const { topics: t } = texts;
  const others = topics.filter(({ topic_id }) => topic_id !== topic.topic_id);
  const choices = [
    ...others.map(({ topic_id, name }) => ({ value: String(topic_id), text: name })),
    { value: 'none', text: t.noTopic(topic.name) },
  ];
  return html`<div class="foot">
    <label for="into">${t.areAbout}</label>${select('into', typed.get('into') ?? '', choices)}<button class="primary">
      ${t.reassign}</button
    ><span class="muted small">${t.reassignAside}</span>
  </div>`;
}

function withholding({ texts, form: typed }: AccountVisit, errors: FieldErrors): Html {
  const { topics: t } = texts;
  return html`<div class="foot">
    <label for="reason">${t.withholdReason}</label
    ><input
      id="reason"
      name="reason"
      type="text"
      maxlength="200"
      value="${typed.get('reason') ?? ''}"
      ${errors['reason'] === undefined ? none : html` aria-invalid="true"`}
    /><button name="action" value="withhold">${t.withhold}</button><span class="muted small">${t.withholdAside}</span>
  </div>`;
}

export async function postTopicAnswers(visit: AccountVisit): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { topic, topics } = await findTopic(visit);
  const handles = typed.getAll('answer');
  if (handles.length === 0) return getTopicAnswers(visit, { into: texts.topics.nothingChosen });
  const from = integerIn(typed, 'from') ?? 0;
  const done = (what: string): Reply => ({
    redirect: at(visit, `/topics/${topic.topic_id}/answers?${from === 0 ? '' : `from=${from}&`}done=${what}`),
  });
  if (typed.get('action') === 'withhold') {
    const [handle = '', ...others] = handles;
    const reason = (typed.get('reason') ?? '').trim();
    if (others.length > 0) return getTopicAnswers(visit, { into: texts.topics.withholdOne });
    if (reason.length < MIN_REASON) return getTopicAnswers(visit, { reason: texts.topics.noReason });
    try {
      await visit.topics.withholdAnswer({ handle, is_withheld: true, reason });
    } catch (error) {
      return getTopicAnswers(visit, { into: rejection(visit, error, { not_found: texts.topics.goneTexts }) });
    }
    return done('withheld');
  }
  const into = topics.find(({ topic_id }) => String(topic_id) === typed.get('into'))?.name;
  if (into === undefined && typed.get('into') !== 'none') return getTopicAnswers(visit, { into: texts.topics.goneTopic });
  try {
    await visit.topics.reassignTopic({ handles, topic: topic.name, into });
  } catch (error) {
    return getTopicAnswers(visit, { into: rejection(visit, error, { not_found: texts.topics.goneTexts }) });
  }
  return done('reassigned');
}
