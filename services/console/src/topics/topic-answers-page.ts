import type { Topic, TopicAnswer } from '@survey/proto/text/v1/topics.ts';
import { notFoundPage } from '../page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, form, select, table, tag, type FieldErrors, type Mark } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { formPage, integerIn, isReason, rejection } from '../views/form-results.ts';

const PAGE = 25;
const SENTIMENTS: Readonly<Record<string, Mark>> = { positive: 'on', negative: 'warn' };

export interface Found {
  readonly topic: Topic;
  readonly topics: readonly Topic[];
}

/** Returns the topic that the path names, and all topics. */
export async function findTopic(visit: AccountVisit): Promise<Found> {
  const { topics } = await visit.topics.listTopics({});
  const topic = topics.find(({ topic_id }) => String(topic_id) === visit.params['topic']);
  if (topic === undefined) throw notFoundPage();
  return { topic, topics };
}

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
  const next = offset + PAGE < total && html`<a href="?from=${offset + PAGE}">${texts.common.next}</a>`;
  const last = Math.min(offset + PAGE, total);
  const chosen = new Set(visit.form.getAll('answer'));
  const body = form(
    visit,
    `${path}/answers`,
    html`<input type="hidden" name="from" value="${offset}" />${answerTable(visit, topic, answers, chosen)}
      ${
        answers.length > 0 &&
        html`<div class="tfoot">
            <span>${t.range(format.number(offset + 1), format.number(last), format.number(total))}</span>${next}
          </div>
          <div class="stuck">${target(visit, topic, topics)}${withholding(visit, errors)}</div>`
      }`,
  );
  const crumb = { path, text: topic.name };
  return formPage(visit, title, { section: 'topics', lead: t.textsLead, crumb, errors }, body);
}

/** Renders texts about a topic, with sentiment and keywords. `chosen`: those that are ticked. */
export function answerTable(
  { texts: { topics: t } }: AccountVisit,
  topic: Topic,
  answers: readonly TopicAnswer[],
  chosen?: ReadonlySet<string>,
): Html {
  const words: Readonly<Record<string, string>> = t.sentiments;
  const sentiment = ({ sentiment: name }: TopicAnswer): Html =>
    name == null ? none : tag(SENTIMENTS[name] ?? 'off', words[name] ?? name);
  const others = ({ topics }: TopicAnswer): string => topics.filter((name) => name !== topic.name).join(', ');
  return table<TopicAnswer>(
    t.releasedTexts,
    [
      {
        title: t.text,
        cell: (answer) => {
          if (chosen === undefined) return marked(answer);
          const checked = chosen.has(answer.handle) ? html` checked` : none;
          const box = html`<input type="checkbox" name="answer" value="${answer.handle}" ${checked} />`;
          return html`<label class="check">${box} ${marked(answer)}</label>`;
        },
      },
      ...(answers.some((answer) => answer.sentiment != null) ? [{ title: t.sentiment, cell: sentiment }] : []),
      ...(answers.some((answer) => others(answer) !== '') ? [{ title: t.otherTopics, isOptional: true, cell: others }] : []),
    ],
    answers,
    t.noTexts,
  );
}

// The text, with the keywords by which it has the topic.
function marked({ text, matches }: TopicAnswer): Html {
  const parts = matches.map(({ start, end }, at) => {
    const before = text.slice(matches[at - 1]?.end ?? 0, start);
    return html`${before}<mark>${text.slice(start, end)}</mark>`;
  });
  return html`<span class="text">${parts}${text.slice(matches.at(-1)?.end ?? 0)}</span>`;
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

function withholding(visit: AccountVisit, errors: FieldErrors): Html {
  const { topics: t, settings } = visit.texts;
  const aside = html`${t.withholdAside} <a href="${at(visit, '/withheld')}">${t.withheldTexts}</a> ·
    <a href="${at(visit, '/settings#denied')}">${settings.deniedLabel}</a>`;
  return reasonFoot(visit, { label: t.withholdReason, button: t.withhold, aside, errors });
}

interface ReasonFoot {
  readonly label: string;
  readonly button: string;
  readonly aside: Html | string;
  readonly errors: FieldErrors;
}

/** Renders the reason of a change to the selected text, and its button. */
export function reasonFoot({ form: typed }: AccountVisit, { label, button, aside, errors }: ReasonFoot): Html {
  return html`<div class="foot">
    <label for="reason">${label}</label
    ><input
      id="reason"
      name="reason"
      type="text"
      maxlength="200"
      value="${typed.get('reason') ?? ''}"
      ${errors['reason'] === undefined ? none : html` aria-invalid="true"`}
    /><button name="action" value="withhold">${button}</button><span class="muted small">${aside}</span>
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
    if (!isReason(reason)) return getTopicAnswers(visit, { reason: texts.form.reasonError });
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
