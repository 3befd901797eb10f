import type { CountTopicAnswersResponse, ExplainKeywordsResponse, Topic } from '@survey/proto/text/v1/topics.ts';
import { notFoundPage } from '../http/page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import {
  at,
  definitions,
  foot,
  form,
  orUnavailable,
  panel,
  section,
  select,
  selectField,
  table,
  tag,
  textField,
  type FieldErrors,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { formPage, optional, rejection } from '../views/form-results.ts';
import { isTyped } from '../session/step-up.ts';

const MAX_NAME = 255;
const MAX_KEYWORDS = 500;
const MAX_KEYWORD = 100;
// Languages whose keywords can be added.
const LANGUAGES = 'ar cs da de el en es fi fr hu it ja ko nl no pl pt ro ru sv tr uk zh'.split(' ');
const MAX_HITS_SHOWN = 50;
const MAX_HITS_OPEN = 12;

export async function getTopics(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, query } = visit;
  const { topics: t } = texts;
  const search = (query.get('q') ?? '').trim().toLowerCase();
  const [{ topics }, counted, models] = await Promise.all([
    visit.topics.listTopics({}),
    optional(visit.topics.countTopicAnswers({})),
    optional(visit.topics.listTopicModels({})),
  ]);
  const shown = topics.filter(({ name }) => name.toLowerCase().includes(search));
  const body = html`${panel(
    html`<form class="bar" role="search" aria-label="${t.title}">
      <label class="sr" for="q">${t.topic}</label
      ><input id="q" type="search" name="q" value="${query.get('q') ?? ''}" placeholder="${t.topic}" /><button>
        ${texts.common.search}
      </button>
    </form>`,
    topicTable(visit, shown, { counted, whenEmpty: topics.length === 0 ? t.none : t.noneFound }),
    form(
      visit,
      at(visit, '/topics'),
      html`<label class="sr" for="name">${t.name}</label
        ><input
          id="name"
          name="name"
          type="text"
          maxlength="${MAX_NAME}"
          placeholder="${t.name}"
          value="${visit.form.get('name') ?? ''}"
          ${errors['name'] === undefined ? none : html` aria-invalid="true"`}
        /><button class="primary">${t.create}</button>`,
      'bar end',
    ),
    html`<div class="tfoot">
      <span>${texts.common.of(visit.format.number(shown.length), visit.format.number(topics.length))}</span>
    </div>`,
  )}
  ${section(
    t.learned,
    orUnavailable(visit, models, (found) => learned(visit, found)),
  )}`;
  return formPage(visit, t.title, { section: 'topics', lead: t.lead, errors }, body);
}

function topicTable(
  visit: AccountVisit,
  shown: readonly Topic[],
  { counted, whenEmpty }: { counted: CountTopicAnswersResponse | undefined; whenEmpty: string },
): Html {
  const { texts } = visit;
  const { topics: t } = texts;
  const released = new Map(counted?.counts.map(({ topic_id, answers }) => [topic_id, answers]));
  const countOf = ({ topic_id }: Topic): number => released.get(topic_id) ?? 0;
  const most = shown.reduce((highest, topic) => Math.max(highest, countOf(topic)), 1);
  const bar = (topic: Topic): Html =>
    html`<svg class="meter" viewBox="0 0 ${most} 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width="${countOf(topic)}" height="1" />
    </svg>`;
  return table<Topic>(
    t.title,
    [
      {
        title: t.topic,
        cell: ({ topic_id, name, is_active }) =>
          html`<a href="${at(visit, `/topics/${topic_id}`)}">${name}</a>${!is_active && html` ${tag('off', t.inactive)}`}`,
      },
      { title: t.share, isOptional: true, cell: bar },
      {
        title: t.releasedTexts,
        isNumber: true,
        cell: (topic) => (counted === undefined ? '–' : visit.format.number(countOf(topic))),
      },
    ],
    shown.toSorted((a, b) => Number(b.is_active) - Number(a.is_active) || countOf(b) - countOf(a)),
    whenEmpty,
  );
}

function learned(
  visit: AccountVisit,
  {
    models,
    new_decisions,
  }: {
    models: readonly { is_active: boolean; examples: number; keywords_f1: number; model_f1: number; trained_at: string }[];
    new_decisions: number;
  },
): Html {
  const { texts, format } = visit;
  const { topics: t } = texts;
  const active = models.find(({ is_active }) => is_active);
  if (active === undefined) return panel(html`<p class="pad muted">${t.nothingLearned(format.number(new_decisions))}</p>`);
  return html`<div class="panel pad">
    ${definitions([
      [t.decisions, format.number(active.examples)],
      [t.byKeywords, `F1 ${format.number(Math.round(active.keywords_f1 * 100) / 100)}`],
      [t.byLearning, `F1 ${format.number(Math.round(active.model_f1 * 100) / 100)}`],
      [t.trained, format.day(active.trained_at)],
    ])}
  </div>`;
}

interface Found {
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

export async function getTopic(visit: AccountVisit, errors: FieldErrors = {}, tried?: ExplainKeywordsResponse): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { topics: t } = texts;
  const { topic, topics } = await findTopic(visit);
  const explained = tried ?? (await optional(visit.topics.explainKeywords({ topic: topic.name, keywords: {} })));
  const path = at(visit, `/topics/${topic.topic_id}`);
  const others = topics.filter(({ topic_id }) => topic_id !== topic.topic_id).map(({ name }) => ({ value: name, text: name }));
  const languages = Object.keys(topic.keywords).length === 0 ? [visit.language] : Object.keys(topic.keywords).toSorted();
  const lead = html`${topic.is_active ? none : tag('off', t.inactive)} ${t.reassignLead}`;
  const actions = html`<a class="btn primary" href="${path}/answers">${t.reassignOpen}</a>`;
  const toggle = html`<input type="hidden" name="is_active" value="${topic.is_active ? '' : '1'}" />
    <p class="pad">${topic.is_active ? t.deactivateText : t.activateText}</p>
    ${foot(topic.is_active ? t.deactivate : t.activate)}`;
  const body = html`${section(t.keywords, html`${languages.map((language) => keywordForm(visit, topic, { language, errors, explained }))}${addLanguage(visit, path, languages)}`, { aside: explained === undefined ? none : t.textsRead(visit.format.number(explained.texts)) })}
  ${section(t.rename, form(visit, `${path}/rename`, html`${textField('name', { label: t.newName, hint: t.renameHint, maxLength: MAX_NAME, value: typed.get('name') ?? topic.name, error: errors['name'] })}${foot(t.rename)}`), { id: 'rename' })}
  ${section(topic.is_active ? t.deactivate : t.activate, form(visit, `${path}/active`, toggle))}
  ${others.length === 0 ? none : section(t.merge, form(visit, `${path}/merge`, html`${selectField('into', { label: t.into, hint: t.mergeHint, value: typed.get('into') ?? '', choices: others })}${textField('confirm', { label: texts.form.type(topic.name, t.merge), error: errors['confirm'] })}${foot(t.merge, { danger: true })}`), { id: 'merge' })}`;
  const crumb = { path: at(visit, '/topics'), text: t.title };
  return formPage(visit, topic.name, { section: 'topics', lead, actions, crumb, errors }, body);
}

interface KeywordOptions {
  readonly language: string;
  readonly errors: FieldErrors;
  readonly explained: ExplainKeywordsResponse | undefined;
}

function keywordForm(visit: AccountVisit, topic: Topic, { language, errors, explained }: KeywordOptions): Html {
  const { texts, format, form: typed } = visit;
  const { topics: t } = texts;
  const words = topic.keywords[language]?.words ?? [];
  const id = `words-${language}`;
  const error = errors[id];
  const value = typed.get('language') === language ? (typed.get('words') ?? '') : words.join('\n');
  return form(
    visit,
    at(visit, `/topics/${topic.topic_id}/keywords`),
    html`<input type="hidden" name="language" value="${language}" />
      <div class="set">
        <div>
          <label for="${id}">${format.languageName(language)}</label>
          <p id="${id}-hint">${t.keywordsHint}</p>
          ${explained && hits(visit, explained, language)}
        </div>
        <div class="field">
          <textarea
            id="${id}"
            name="words"
            rows="${Math.min(12, Math.max(4, words.length + 1))}"
            aria-describedby="${id}-hint"
            ${error === undefined ? none : html` aria-invalid="true"`}
          >
${value}</textarea
          >${error !== undefined && html`<p class="err">${error}</p>`}
        </div>
      </div>
      <div class="foot">
        <button class="primary">${texts.common.save}</button><button name="action" value="try">${t.tryKeywords}</button
        ><span class="muted small">${t.tryAside}</span>
      </div>`,
    'panel block',
  );
}

// The keywords that find most texts come first, suggestions last.
function hits({ texts, format }: AccountVisit, { keywords }: ExplainKeywordsResponse, language: string): Html {
  const shownKeywords = keywords
    .filter((each) => each.language === language)
    .toSorted((a, b) => Number(a.is_suggested) - Number(b.is_suggested) || b.texts - a.texts);
  if (shownKeywords.length === 0) return none;
  const item = ({ word, texts: count, is_suggested: isSuggested }: (typeof shownKeywords)[number]): Html =>
    html`<li>
      <b>${format.number(count)}</b>
      <bdi>${word}</bdi>${isSuggested && html` <span class="small">${texts.topics.suggested}</span>`}
    </li>`;
  return html`<details ${shownKeywords.length < MAX_HITS_OPEN ? html` open` : none}>
    <summary>${texts.topics.hits}</summary>
    <ul class="plain">
      ${shownKeywords.slice(0, MAX_HITS_SHOWN).map(item)}
    </ul>
  </details>`;
}

function addLanguage(visit: AccountVisit, path: string, present: readonly string[]): Html {
  const { texts, format } = visit;
  const { topics: t } = texts;
  const choices = LANGUAGES.filter((code) => !present.includes(code)).map((code) => ({
    value: code,
    text: format.languageName(code),
  }));
  return form(
    visit,
    `${path}/keywords`,
    html`<div class="set">
        <div>
          <label for="language">${t.addLanguage}</label>
          <p>${t.keywordsHint}</p>
        </div>
        <div class="field">
          ${select('language', '', choices)}<textarea name="words" rows="4" aria-label="${t.keywords}"></textarea>
        </div>
      </div>
      ${foot(texts.common.save)}`,
    'panel block',
  );
}

const nameError = ({ texts }: AccountVisit, name: string): string | undefined =>
  name === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name) ? texts.topics.nameError : undefined;

export async function postTopic(visit: AccountVisit): Promise<Reply> {
  const name = (visit.form.get('name') ?? '').trim();
  const error = nameError(visit, name);
  if (error !== undefined) return getTopics(visit, { name: error });
  try {
    await visit.topics.createTopic({ name, keywords: {} });
  } catch (failure) {
    return getTopics(visit, { name: rejection(visit, failure, { conflict: visit.texts.topics.nameTaken(name) }) });
  }
  return { redirect: at(visit, '/topics?done=created') };
}

export async function postRename(visit: AccountVisit): Promise<Reply> {
  const { topic } = await findTopic(visit);
  const name = (visit.form.get('name') ?? '').trim();
  const error = nameError(visit, name);
  if (error !== undefined) return getTopic(visit, { name: error });
  try {
    await visit.topics.renameTopic({ topic: topic.name, name });
  } catch (failure) {
    return getTopic(visit, { name: rejection(visit, failure, { conflict: visit.texts.topics.nameTaken(name) }) });
  }
  return { redirect: at(visit, `/topics/${topic.topic_id}?done=renamed`) };
}

export async function postMerge(visit: AccountVisit): Promise<Reply> {
  const { topic, topics } = await findTopic(visit);
  const into = topics.find(({ name }) => name === visit.form.get('into'));
  if (into === undefined || into.topic_id === topic.topic_id) throw notFoundPage();
  if (!(await isTyped(visit, topic.name))) return getTopic(visit, { confirm: visit.texts.form.notTyped(topic.name) });
  await visit.topics.mergeTopics({ topic: topic.name, into: into.name });
  return { redirect: at(visit, `/topics/${into.topic_id}?done=merged`) };
}

/** Deactivates or activates the topic (rule TEXTS-TOPICS-5). */
export async function postActive(visit: AccountVisit): Promise<Reply> {
  const { topic } = await findTopic(visit);
  const is_active = visit.form.get('is_active') === '1';
  await visit.topics.setTopicActive({ topic: topic.name, is_active });
  return { redirect: at(visit, `/topics/${topic.topic_id}?done=${is_active ? 'activated' : 'deactivated'}`) };
}

export async function postKeywords(visit: AccountVisit): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { topic } = await findTopic(visit);
  const language = typed.get('language') ?? '';
  const lines = (typed.get('words') ?? '').split('\n').map((line) => line.trim());
  const tooLong = lines.findIndex((line) => line.length > MAX_KEYWORD);
  const words = lines.filter((line) => line !== '');
  if (tooLong >= 0) return getTopic(visit, { [`words-${language}`]: texts.topics.lineTooLong(tooLong + 1) });
  if (words.length > MAX_KEYWORDS) return getTopic(visit, { [`words-${language}`]: texts.topics.tooManyKeywords });
  try {
    if (typed.get('action') === 'try')
      return await getTopic(
        visit,
        {},
        await visit.topics.explainKeywords({ topic: topic.name, keywords: { [language]: { words } } }),
      );
    await visit.topics.setTopicKeywords({ topic: topic.name, language, words });
  } catch (failure) {
    return getTopic(visit, { [`words-${language}`]: rejection(visit, failure) });
  }
  return { redirect: at(visit, `/topics/${topic.topic_id}?done=saved`) };
}
