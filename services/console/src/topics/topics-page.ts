import { isBlank } from '@survey/formats/is-blank.ts';
import type {
  CountTopicAnswersResponse,
  ExplainKeywordsResponse,
  ListTopicModelsResponse,
  Topic,
  TopicCycleCount,
} from '@survey/proto/text/v1/topics.ts';
import { cyclePlot } from '../views/bars.ts';
import { html, none, type Html } from '../views/html.ts';
import {
  at,
  choiceField,
  figures,
  foot,
  form,
  linesField,
  listPanel,
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
import { isTyped } from '../sign-in/step-up.ts';
import { saveMark } from '../settings/save-settings.ts';
import { changedFields, shownField, type Values } from '../views/shown-values.ts';
import { answerTable, findTopic } from './topic-answers-page.ts';

const MAX_NAME = 255;
const MAX_KEYWORDS = 500;
const MAX_KEYWORD = 100;
// What the service takes for a word (readWords), so that a fault is told before anything is saved.
const KEYWORD = /[\p{L}\p{N}\p{Extended_Pictographic}]|[:;=]['’]?-?[()|/]|<\/?3|\^\^/u;
// Languages whose keywords can be added.
const LANGUAGES = 'ar cs da de el en es fi fr hu it ja ko nl no pl pt ro ru sv tr uk zh'.split(' ');
const MAX_HITS_SHOWN = 50;
const MAX_SUGGESTED = 10;
const TEXTS_SHOWN = 5;

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
  const body = html`${listPanel(visit, {
    title: t.title,
    field: t.topic,
    value: query.get('q') ?? '',
    rows: html`${topicTable(visit, shown, { counted, whenEmpty: topics.length === 0 ? t.none : t.noneFound })}${newTopic(visit, errors)}`,
    foot: texts.common.of(visit.format.number(shown.length), visit.format.number(topics.length)),
    links: html`<a href="${at(visit, '/withheld')}">${t.withheldTexts}</a>`,
  })}
  ${models && learned(visit, models)}`;
  return formPage(visit, t.title, { section: 'topics', lead: t.lead, errors }, body);
}

function newTopic(visit: AccountVisit, errors: FieldErrors): Html {
  const { topics: t } = visit.texts;
  const invalid = errors['name'] === undefined ? none : html` aria-invalid="true"`;
  const input = html`<input
    id="name"
    name="name"
    type="text"
    maxlength="${MAX_NAME}"
    placeholder="${t.name}"
    value="${visit.form.get('name') ?? ''}"
    ${invalid}
  />`;
  const fields = html`<label class="sr" for="name">${t.name}</label>${input}<button class="primary">${t.create}</button>`;
  return form(visit, at(visit, '/topics'), fields, 'bar end');
}

const NO_ANSWERS = { answers: 0, positive: 0, negative: 0 };

function topicTable(
  visit: AccountVisit,
  shown: readonly Topic[],
  { counted, whenEmpty }: { counted: CountTopicAnswersResponse | undefined; whenEmpty: string },
): Html {
  const { texts } = visit;
  const { topics: t } = texts;
  const released = new Map(counted?.counts.map((count) => [count.topic_id, count]));
  const countOf = ({ topic_id }: Topic): number => released.get(topic_id)?.answers ?? 0;
  const highestCount = shown.reduce((highest, topic) => Math.max(highest, countOf(topic)), 1);
  const bar = ({ topic_id }: Topic): Html => {
    const { answers, positive, negative } = released.get(topic_id) ?? NO_ANSWERS;
    if (answers === 0) return none;
    const parts = [`${positive} ${t.sentiments.positive}`, `${negative} ${t.sentiments.negative}`];
    return html`<svg
      class="meter"
      viewBox="0 0 ${highestCount} 1"
      preserveAspectRatio="none"
      role="img"
      aria-label="${parts.join(', ')}"
    >
      <title>${parts.join(', ')}</title>
      <rect width="${positive}" height="1" />
      <rect x="${positive}" width="${answers - positive - negative}" height="1" fill="var(--c2)" />
      <rect x="${answers - negative}" width="${negative}" height="1" fill="var(--c3)" />
    </svg>`;
  };
  return table<Topic>(
    t.title,
    [
      {
        title: t.topic,
        cell: ({ topic_id, name, is_active }) =>
          html`<a href="${at(visit, `/topics/${topic_id}`)}">${name}</a>${!is_active && html` ${tag('off', t.inactive)}`}`,
      },
      ...(counted === undefined ? [] : [{ title: t.sentimentBar, isOptional: true, cell: bar }]),
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

function learned({ texts: { topics: t }, format }: AccountVisit, { models, new_decisions }: ListTopicModelsResponse): Html {
  const active = models.find(({ is_active }) => is_active);
  return html`<p class="block muted">
    ${active === undefined ? t.nothingLearned(format.number(new_decisions)) : t.learned(format.number(active.examples), format.day(active.trained_at))}
  </p>`;
}

export async function getTopic(visit: AccountVisit, errors: FieldErrors = {}, tried?: ExplainKeywordsResponse): Promise<Reply> {
  const { texts, format } = visit;
  const { topics: t } = texts;
  const { topic, topics } = await findTopic(visit);
  const [explained, counted, listed] = await Promise.all([
    tried ?? optional(visit.topics.explainKeywords({ topic: topic.name, keywords: {} })),
    optional(visit.topics.countTopicAnswers({ topic: topic.name })),
    optional(visit.topics.listTopicAnswers({ topic: topic.name, limit: TEXTS_SHOWN, offset: 0 })),
  ]);
  const path = at(visit, `/topics/${topic.topic_id}`);
  const { answers, positive, negative } = counted?.counts.find(({ topic_id }) => topic_id === topic.topic_id) ?? NO_ANSWERS;
  const actions = html`<a class="btn" href="#name">${t.rename}</a
    ><a class="btn primary" href="${path}/answers">${t.reassignOpen}</a>`;
  const body = html`${orUnavailable(visit, counted, () =>
    figures([
      [t.releasedTexts, format.number(answers)],
      [t.sentiments.positive, format.number(positive)],
      [t.sentiments.negative, format.number(negative)],
    ]),
  )}
  ${section(
    t.releasedTexts,
    orUnavailable(visit, listed, (list) => panel(answerTable(visit, topic, list.answers))),
  )}
  ${counted && counted.cycles.length > 1 && section(t.overCycles, panel(volume(visit, counted.cycles)))}
  ${section(t.keywordsAndName, topicForm(visit, topic, { errors, explained }), { aside: explained === undefined ? texts.common.sectionUnavailable : textsRead(visit, explained), id: 'keywords' })}
  ${
    topics.length > 1 &&
    section(
      t.merge,
      html`<div class="panel pad row">
        <p class="muted">${t.mergeHint}</p>
        <a class="btn danger" href="${path}/merge">${t.merge}…</a>
      </div>`,
    )
  }`;
  const crumb = { path: at(visit, '/topics'), text: t.title };
  const lead = html`${topic.is_active ? none : tag('off', t.inactive)} ${t.reassignLead}`;
  return formPage(visit, topic.name, { section: 'topics', lead, actions, crumb, errors }, body);
}

export async function getMerge(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { topics: t } = texts;
  const { topic, topics } = await findTopic(visit);
  const path = at(visit, `/topics/${topic.topic_id}`);
  const others = topics
    .filter(({ topic_id }) => topic_id !== topic.topic_id)
    .map(({ topic_id, name }) => ({ value: String(topic_id), text: name }));
  const choices = [{ value: '', text: t.chooseTopic }, ...others];
  const fields = html`${selectField('into', { label: t.into, hint: t.mergeHint, value: typed.get('into') ?? '', choices, error: errors['into'] })}
  ${textField('confirm', { label: texts.form.type(topic.name), value: typed.get('confirm') ?? '', error: errors['confirm'] })}
  ${foot(t.merge, { danger: true, cancel: { path, text: texts.common.cancel } })}`;
  const crumb = { path, text: topic.name };
  return formPage(visit, t.mergeTitle(topic.name), { section: 'topics', crumb, errors }, form(visit, `${path}/merge`, fields));
}

// How many texts each cycle has, and their sentiment.
function volume(visit: AccountVisit, cycles: readonly TopicCycleCount[]): Html {
  const { texts, format } = visit;
  const { topics: t } = texts;
  const dayOf = ({ day }: Partial<TopicCycleCount>): string => (day == null ? '' : format.shortDay(day));
  return cyclePlot(visit, {
    cycles: cycles.map(({ day, survey_id }) => t.cycleOf(day == null ? t.unknownDay : format.day(day), String(survey_id))),
    from: dayOf(cycles[0] ?? {}),
    to: dayOf(cycles.at(-1) ?? {}),
    rows: [
      { name: t.releasedTexts, colour: 'var(--c2)', values: cycles.map(({ answers }) => answers) },
      { name: t.sentiments.positive, colour: 'var(--c1)', values: cycles.map(({ positive }) => positive) },
      { name: t.sentiments.negative, colour: 'var(--c3)', values: cycles.map(({ negative }) => negative) },
    ],
    labelOf: t.plotLabel,
    caption: texts.guard.plotCaption,
  });
}

// A page waits only so long: which texts were counted is said where they are not all.
function textsRead({ texts: { topics: t }, format }: AccountVisit, { texts, released }: ExplainKeywordsResponse): string {
  const all = released ?? texts;
  return texts < all ? t.someTextsRead(format.number(texts), format.number(all)) : t.textsRead(format.number(texts));
}

interface KeywordOptions {
  readonly errors: FieldErrors;
  readonly explained: ExplainKeywordsResponse | undefined;
}

// One form for everything that is typed here, so that saving some of it loses nothing else.
function topicForm(visit: AccountVisit, topic: Topic, { errors, explained }: KeywordOptions): Html {
  const { texts, format, form: typed } = visit;
  const { topics: t } = texts;
  const stored = storedValues(topic);
  const { changed } = changedFields(visit, stored, sentValues(visit));
  const valueOf = (field: string): string =>
    (changed.has(field) ? typed.get(field) : undefined) ?? stored[field]?.join('\n') ?? '';
  const present = Object.keys(topic.keywords).toSorted();
  const choices = LANGUAGES.filter((code) => !present.includes(code) || code === typed.get('language')).map((value) => ({
    value,
    text: format.languageName(value),
  }));
  const list = (language: string): Html => {
    const name = `words-${language}`;
    const figures = explained && hits(visit, explained, language);
    return linesField(name, { label: format.languageName(language), value: valueOf(name), figures, error: errors[name] });
  };
  const added = typed.get('language') ?? visit.language;
  const path = at(visit, `/topics/${topic.topic_id}`);
  return form(
    visit,
    path,
    html`${shownField(visit, stored)}${saveMark(visit)}${present.map(list)}${linesField('words', {
      label: t.addLanguage,
      hint: t.keywordsHint,
      value: typed.get('words') ?? '',
      error: errors['words'],
      before: select('language', added, choices, html` aria-label="${t.addLanguage}"`),
      figures:
        explained &&
        html`${typed.has('language') && hits(visit, explained, added)}
          <p>${t.nameCounts}</p>
          ${hits(visit, explained, '')}`,
    })}
    ${textField('name', { label: t.name, hint: t.renameHint, maxLength: MAX_NAME, value: valueOf('name'), error: errors['name'] })}
    ${choiceField('state', {
      type: 'radio',
      label: t.state,
      hint: t.stateHint,
      values: [valueOf('state')],
      choices: [
        { value: 'active', text: t.active },
        { value: 'inactive', text: t.inactive },
      ],
    })}
    ${foot(texts.common.save, {
      isStuck: typed.size > 0,
      secondButton: html`<button name="action" value="try" formaction="${path}#keywords">${t.tryKeywords}</button>`,
      aside: t.tryAside,
    })}`,
  );
}

const storedValues = ({ name, is_active, keywords }: Topic): Values => ({
  ...Object.fromEntries(Object.entries(keywords).map(([language, { words }]) => [`words-${language}`, words])),
  name: [name.trim()],
  state: [is_active ? 'active' : 'inactive'],
});

// The list of the language that is added counts as one of its own language, if it has words.
function sentValues({ form }: AccountVisit): Values {
  const lists = listFields(form).map((field) => {
    const language = field === 'words' ? (form.get('language') ?? '') : field.slice('words-'.length);
    return { field, value: [`words-${language}`, linesOf(form, field).filter((line) => line !== '')] as const };
  });
  const others = ['name', 'state']
    .filter((field) => form.has(field))
    .map((field) => [field, [form.get(field)?.trim() ?? '']] as const);
  return Object.fromEntries([
    ...lists.flatMap(({ field, value }) => (field === 'words' && value[1].length === 0 ? [] : [value])),
    ...others,
  ]);
}

const listFields = (form: AccountVisit['form']): string[] => [...form.keys()].filter((field) => field.startsWith('words'));

const linesOf = (form: AccountVisit['form'], field: string): string[] =>
  (form.get(field) ?? '').split('\n').map((line) => line.trim());

// Keywords that find most texts come first.
function hits({ texts: { topics: t }, format }: AccountVisit, { keywords }: ExplainKeywordsResponse, language: string): Html {
  const keywordsOfLanguage = keywords.filter((each) => each.language === language).toSorted((a, b) => b.texts - a.texts);
  const list = (label: string, words: typeof keywords): Html =>
    html`<ul class="plain row small" aria-label="${label}">
      ${words.map(({ word, texts }) => html`<li><b>${format.number(texts)}</b> <bdi>${word}</bdi></li>`)}
    </ul>`;
  const suggested = keywordsOfLanguage.filter(({ is_suggested, texts }) => is_suggested && texts > 0).slice(0, MAX_SUGGESTED);
  return html`${list(t.hits, keywordsOfLanguage.filter(({ is_suggested }) => !is_suggested).slice(0, MAX_HITS_SHOWN))}
  ${
    suggested.length > 0 &&
    html`<p>${t.suggested}</p>
      ${list(t.suggested, suggested)}`
  }`;
}

const nameError = ({ texts }: AccountVisit, name: string): string | undefined =>
  isBlank(name) || name.length > MAX_NAME || /\p{Cc}/u.test(name) ? texts.topics.nameError : undefined;

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

export async function postMerge(visit: AccountVisit): Promise<Reply> {
  const { topic, topics } = await findTopic(visit);
  const others = topics.filter(({ topic_id }) => topic_id !== topic.topic_id);
  const into = others.find(({ topic_id }) => String(topic_id) === visit.form.get('into'));
  const { chooseTopic, goneTopic } = visit.texts.topics;
  if (into === undefined) return getMerge(visit, { into: visit.form.get('into') ? goneTopic : chooseTopic });
  if (!(await isTyped(visit, topic.name))) return getMerge(visit, { confirm: visit.texts.form.notTyped(topic.name) });
  await visit.topics.mergeTopics({ topic: topic.name, into: into.name });
  return { redirect: at(visit, `/topics/${into.topic_id}?done=merged`) };
}

/**
 * Saves what was changed in the form of a topic, or tries its keywords (rule TEXTS-TOPICS-5). What
 * is not valid is found before anything is changed.
 */
export async function postTopicForm(visit: AccountVisit): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { topics: t } = texts;
  const { topic } = await findTopic(visit);
  const stored = storedValues(topic);
  const sent = sentValues(visit);
  const lists = Object.entries(sent).flatMap(([field, words]) =>
    field.startsWith('words-') ? [{ field, language: field.slice('words-'.length), words }] : [],
  );
  const { changed, conflicting } = changedFields(visit, stored, sent);
  const isTry = typed.get('action') === 'try';
  const [name = ''] = changed.has('name') ? (sent['name'] ?? []) : [topic.name];
  const nameFault = !isTry && changed.has('name') && nameError(visit, name);
  const errors = {
    // Also when keywords are tried: the page then shows what is stored by now.
    ...Object.fromEntries([...conflicting].map((field) => [field, t.changedTo((stored[field] ?? []).join(', '))])),
    ...(nameFault && { name: nameFault }),
    ...lineErrors(visit),
  };
  if (Object.keys(errors).length > 0) return getTopic(visit, errors);
  if (isTry) return tryKeywords(visit, topic, lists);
  let field = 'name';
  try {
    if (name !== topic.name) await visit.topics.renameTopic({ topic: topic.name, name });
    if (changed.has('state')) await visit.topics.setTopicActive({ topic: name, is_active: sent['state']?.[0] === 'active' });
    for (const list of lists.filter((each) => changed.has(each.field))) {
      field = list.field;
      await visit.topics.setTopicKeywords({ topic: name, language: list.language, words: [...list.words] });
    }
  } catch (failure) {
    const refusals = field === 'name' ? { conflict: t.nameTaken(name) } : {};
    // A list that is not stored yet was typed where a language is added.
    const shownAt = field === 'name' || typed.has(field) ? field : 'words';
    return getTopic(visit, { [shownAt]: rejection(visit, failure, refusals) });
  }
  return { redirect: at(visit, `/topics/${topic.topic_id}?done=saved`) };
}

interface KeywordList {
  // Of the form.
  readonly field: string;
  readonly language: string;
  readonly words: readonly string[];
}

async function tryKeywords(visit: AccountVisit, { name: topic }: Topic, lists: readonly KeywordList[]): Promise<Reply> {
  const keywords = lists.filter(({ words }) => words.length > 0).map(({ language, words }) => [language, { words: [...words] }]);
  try {
    return await getTopic(visit, {}, await visit.topics.explainKeywords({ topic, keywords: Object.fromEntries(keywords) }));
  } catch (failure) {
    return getTopic(visit, { words: rejection(visit, failure) });
  }
}

function lineErrors({ texts, form }: AccountVisit): Record<string, string> {
  const { topics: t } = texts;
  const errors: Record<string, string> = {};
  for (const field of listFields(form)) {
    const lines = linesOf(form, field);
    const unusable = lines.findIndex((line) => line.length > MAX_KEYWORD || (line !== '' && !KEYWORD.test(line)));
    if (unusable >= 0) errors[field] = t.lineUnusable(unusable + 1);
    else if (lines.filter((line) => line !== '').length > MAX_KEYWORDS) errors[field] = t.tooManyKeywords;
  }
  return errors;
}
