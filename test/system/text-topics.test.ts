import { connect } from '@nats-io/transport-node';
import { TopicEvent } from '@survey/proto/events/v1/events.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { describe, expect, it } from 'vitest';
import { openIntake, question, response, survey, uuidOf } from '../support/facts.ts';
import { eventsOf } from '../support/events.ts';
import { arrangeEmployee } from '../support/employees.ts';
import { shareStack } from '../support/file-stack.ts';
import { decision, textOperatorAt, topicFact, topicsOf } from '../support/topics.ts';

const { stack, db, operator } = await shareStack();
const intake = await openIntake(stack);
const asOperator = textOperatorAt(stack);

const create = (accountId: number, name: string, words: readonly string[] = []) =>
  asOperator(accountId).createTopic({ name, keywords: words.length === 0 ? {} : { en: { words: [...words] } } });

const rejection = (work: Promise<unknown>): Promise<ApplicationError> =>
  work.then(
    () => expect.unreachable('it was not rejected'),
    (error: unknown) => (error instanceof ApplicationError ? error : expect.unreachable(String(error))),
  );

/** Returns the topic rows as `answer topic origin sentiment`, removed ones in brackets. */
async function assignmentsOf(accountId: number): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(
    `select case when a.removed_at is null then line else '(' || line || ')' end as line
     from text.topic_assignment a
     join text.topic t on t.account_id = a.account_id and t.id = a.topic_id,
     concat_ws(' ', a.answer, t.name, a.origin, coalesce(a.sentiment, '-')) line
     where a.account_id = $1 order by a.answer, t.name`,
    [accountId],
  );
  return rows.map(({ line }) => line);
}

// Possible states of a topic on an answer, the weakest first.
const HAVES = ['nothing', 'auto', 'auto scored', 'admin', 'admin stated', 'admin removed'] as const;
type Has = (typeof HAVES)[number];
const STRENGTH: Record<Has, number> = { nothing: 0, auto: 1, 'auto scored': 1, admin: 2, 'admin stated': 2, 'admin removed': 3 };
const SHOWN: Record<Has, string> = {
  nothing: '',
  auto: 'answer Kept auto -',
  'auto scored': 'answer Kept auto positive',
  admin: 'answer Kept admin -',
  'admin stated': 'answer Kept admin positive',
  'admin removed': '(answer Kept admin -)',
};

/**
 * Returns the expected state on the remaining topic: decisions win, removals persist, changed pairs
 * are rescored.
 */
function merged(gone: Has, kept: Has): Has {
  if (gone === 'nothing') return kept;
  const winner = STRENGTH[gone] > STRENGTH[kept] ? gone : kept;
  return winner === 'auto scored' ? 'auto' : winner;
}

/** Creates an account with this number of answers to question 15. */
async function accountWithAnswers(count: number): Promise<number> {
  const { accountId } = await operator.createAccount();
  await arrangeEmployee(db, accountId, { id: 1, email: 'p1@x.io' });
  await intake.publishFacts(accountId, 'survey', [survey(1)]);
  await intake.publishFacts(accountId, 'question', [question(15)]);
  const texts = Array.from({ length: count }, (_, index) =>
    response(uuidOf(index), { answers: [{ question_id: 15, option_ids: [], text: `answer ${index}` }] }),
  );
  await intake.publishFacts(accountId, 'response', texts);
  return accountId;
}

describe('a topic', () => {
  it('is one by its name without case, and by nothing else [TEXTS-TOPICS-3]', async () => {
    const { accountId } = await operator.createAccount();
    for (const name of ['Pay', ' Pay', 'Pay ', 'Pay!', 'P ay', 'Größe', 'Gro\u0308ße']) await create(accountId, name);
    for (const name of ['pay', 'PAY', 'GRÖSSE', 'GRÖẞE', ' pAY']) {
      expect([name, (await rejection(create(accountId, name))).code]).toEqual([name, 'conflict']);
    }
    expect((await topicsOf(asOperator, accountId)).size).toBe(7);
  });

  it('is the same in facts and for operators [TEXTS-TOPICS-3]', async () => {
    const { accountId } = await operator.createAccount();
    await create(accountId, 'Pay', ['salary']);
    await intake.publishFacts(accountId, 'topic', [topicFact('PAY', { en: ['wage'] }), topicFact('pay ')]);
    const topics = await topicsOf(asOperator, accountId);
    expect([...topics.keys()]).toEqual(['PAY', 'pay ']);
    expect(topics.get('PAY')).toMatchObject({ topic_id: 1, keywords: { en: { words: ['wage'] } } });
  });

  it('is assigned by 1,001 decisions that waited for their answer, in batches', async () => {
    const { accountId } = await operator.createAccount();
    await arrangeEmployee(db, accountId, { id: 1, email: 'one@x.io' });
    await intake.publishFacts(accountId, 'survey', [survey(1)]);
    await intake.publishFacts(accountId, 'question', [question(15)]);
    const decisions = Array.from({ length: 1_001 }, (_, nth) => decision(uuidOf(0), `T${nth}`));
    await intake.publishFacts(accountId, 'topic_assignment', decisions);
    const answers = [{ question_id: 15, option_ids: [], text: 'a' }];
    await intake.publishFacts(accountId, 'response', [response(uuidOf(0), { employee: { id: 1 }, answers })]);
    const waiting = await db.query(
      "select missing_object like 'topic t%' as for_topic, count(*)::int from text.deferred_fact where account_id = $1 group by 1",
      [accountId],
    );
    expect(waiting.rows).toEqual([{ for_topic: true, count: 1_001 }]);
  });

  it('belongs to its account', async () => {
    const [one, other] = [await operator.createAccount(), await operator.createAccount()];
    await create(one.accountId, 'Pay');
    await create(other.accountId, 'pay');
    expect([...(await topicsOf(asOperator, other.accountId)).keys()]).toEqual(['pay']);
    expect(await rejection(asOperator(9_999_999).listTopics({}))).toMatchObject({ code: 'not_found' });
  });

  it.each(['', '   ', 'a\0b', 'x'.repeat(256)])('is rejected under the name %j', async (name) => {
    const { accountId } = await operator.createAccount();
    expect(await rejection(create(accountId, name))).toMatchObject({ code: 'invalid' });
  });

  it('takes keywords by language, each once and without surrounding white space', async () => {
    const { accountId } = await operator.createAccount();
    await create(accountId, 'Pay', ['salary']);
    const set = (language: string, words: string[]) => asOperator(accountId).setTopicKeywords({ topic: 'pay', language, words });
    expect((await set('de', [' Gehalt', 'Lohn', 'Gehalt '])).after).toMatchObject({
      keywords: { de: { words: ['Gehalt', 'Lohn'] }, en: { words: ['salary'] } },
    });
    const again = await set('de', ['Gehalt', 'Lohn']);
    expect(again.before).toEqual(again.after);
    expect((await set('en', [])).after?.keywords).toEqual({ de: { words: ['Gehalt', 'Lohn'] } });
    expect(await rejection(set('deutsch', ['Gehalt']))).toMatchObject({ code: 'invalid' });
    expect(await rejection(set('de', ['']))).toMatchObject({ code: 'invalid' });
    const { taxonomy_version } = await asOperator(accountId).listTopics({});
    expect(taxonomy_version).toBe(3);
  });
});

describe('a rename', () => {
  it('changes the name and nothing else: not what the topic is found by, nor what answers have [TEXTS-TOPICS-2]', async () => {
    const accountId = await accountWithAnswers(2);
    await create(accountId, 'Pay', ['salary']);
    await intake.publishFacts(accountId, 'topic_assignment', [decision(uuidOf(0), 'Pay', { sentiment: 'negative' })]);
    const before = await asOperator(accountId).listTopics({});
    const change = await asOperator(accountId).renameTopic({ topic: 'PAY', name: 'Money' });
    expect(change.after).toEqual({ ...change.before, name: 'Money', match_names: ['Pay'] });
    expect(await assignmentsOf(accountId)).toEqual(['0 Money admin negative']);
    const after = await asOperator(accountId).listTopics({});
    expect(after.taxonomy_version).toBe(before.taxonomy_version);
    // Changes only the case, and back again.
    await asOperator(accountId).renameTopic({ topic: 'money', name: 'MONEY' });
    expect((await asOperator(accountId).renameTopic({ topic: 'money', name: 'Pay' })).after?.match_names).toEqual(['Pay']);
  });

  it('rejects the name of another topic, and a topic that does not exist', async () => {
    const { accountId } = await operator.createAccount();
    await create(accountId, 'Pay');
    await create(accountId, 'Team');
    const rename = (topic: string, name: string) => asOperator(accountId).renameTopic({ topic, name });
    expect(await rejection(rename('Pay', 'TEAM'))).toMatchObject({ code: 'conflict' });
    expect(await rejection(rename('Tools', 'Equipment'))).toMatchObject({ code: 'not_found' });
  });

  it('applies the assignments that are deferred for the new name', async () => {
    const accountId = await accountWithAnswers(1);
    await create(accountId, 'Pay');
    await intake.publishFacts(accountId, 'topic_assignment', [decision(uuidOf(0), 'Money')]);
    expect(await assignmentsOf(accountId)).toEqual([]);
    await asOperator(accountId).renameTopic({ topic: 'Pay', name: 'Money' });
    expect(await assignmentsOf(accountId)).toEqual(['0 Money admin -']);
  });

  it('yields to facts of any revision, also a negative one', async () => {
    const { accountId } = await operator.createAccount();
    await create(accountId, 'Pay');
    await asOperator(accountId).renameTopic({ topic: 'Pay', name: 'Money' });
    await intake.publishFacts(accountId, 'topic', [topicFact('Pay', { en: ['wage'] }, -5)]);
    expect((await topicsOf(asOperator, accountId)).get('Money')?.keywords).toEqual({ en: { words: ['wage'] } });
  });

  it('leaves what facts call the topic', async () => {
    const accountId = await accountWithAnswers(2);
    await create(accountId, 'Pay');
    await intake.publishFacts(accountId, 'topic', [topicFact('Team')]);
    await asOperator(accountId).renameTopic({ topic: 'Pay', name: 'Money' });
    await asOperator(accountId).renameTopic({ topic: 'Team', name: 'Colleagues' });
    await intake.publishFacts(accountId, 'topic', [topicFact('team', { en: ['colleague'] }, 1)]);
    await intake.publishFacts(accountId, 'topic_assignment', [decision(uuidOf(0), 'pay'), decision(uuidOf(1), 'Team')]);
    expect(await assignmentsOf(accountId)).toEqual(['0 Money admin -', '1 Colleagues admin -']);
    expect((await topicsOf(asOperator, accountId)).get('Colleagues')?.keywords).toEqual({ en: { words: ['colleague'] } });
  });
});

describe('a merge', () => {
  it('keeps a newer decision and newer keywords when an older fact names the other topic', async () => {
    const accountId = await accountWithAnswers(1);
    await intake.publishFacts(accountId, 'topic', [topicFact('Kept', { en: ['newer'] }, 5), topicFact('Gone', {}, 1)]);
    const decide = (topic: string, revision: number, removed = false) =>
      intake.publishFacts(accountId, 'topic_assignment', [decision(uuidOf(0), topic, { removed }, revision)]);
    await decide('Kept', 2);
    await decide('Gone', 5);
    await asOperator(accountId).mergeTopics({ topic: 'Gone', into: 'Kept' });
    await decide('Gone', 3, true);
    await intake.publishFacts(accountId, 'topic', [topicFact('Gone', { en: ['older'] }, 3)]);
    expect(await assignmentsOf(accountId)).toEqual(['0 Kept admin -']);
    expect((await topicsOf(asOperator, accountId)).get('Kept')?.keywords).toEqual({ en: { words: ['newer'] } });
    await decide('Gone', 6, true);
    await intake.publishFacts(accountId, 'topic', [topicFact('Gone', { en: ['newest'] }, 6)]);
    expect(await assignmentsOf(accountId)).toEqual(['(0 Kept admin -)']);
    expect((await topicsOf(asOperator, accountId)).get('Kept')?.keywords).toEqual({ en: { words: ['newest'] } });
  });

  it('moves what answers have; what an administrator decided wins, and a removal stays one', async () => {
    const accountId = await accountWithAnswers(8);
    await create(accountId, 'Gone', ['gone']);
    await create(accountId, 'Kept', ['kept']);
    const said = (n: number, topic: string, more = {}) => decision(uuidOf(n), topic, more);
    await intake.publishFacts(accountId, 'topic_assignment', [
      said(0, 'Gone', { sentiment: 'positive' }),
      said(1, 'Gone', { removed: true }),
      said(2, 'Gone', { sentiment: 'positive' }),
      said(2, 'Kept', { removed: true }),
      said(3, 'Gone', { removed: true }),
      said(3, 'Kept'),
      said(4, 'Gone', { sentiment: 'neutral' }),
      said(5, 'Kept', { removed: true }),
    ]);
    // Found automatically: 4, 6 and 7 have Kept, 5 and 6 have Gone, and are scored.
    await db.query(
      `insert into text.topic_assignment (account_id, answer, topic_id, origin, score, model_version, sentiment, sentiment_version)
       select $1, a.answer, a.topic, 'auto', 0.5, 'test', 'negative', 'test' from (values (4, 2), (5, 1), (6, 1), (6, 2), (7, 2)) a (answer, topic)`,
      [accountId],
    );
    const { before, after } = await asOperator(accountId).mergeTopics({ topic: 'gone', into: 'KEPT' });
    expect(before).toMatchObject({ name: 'Gone', topic_id: 1 });
    expect(after).toMatchObject({
      name: 'Kept',
      topic_id: 2,
      match_names: ['Kept', 'Gone'],
      keywords: { en: { words: ['kept', 'gone'] } },
      answers: 4,
    });
    expect(await assignmentsOf(accountId)).toEqual([
      '0 Kept admin positive',
      '(1 Kept admin -)',
      '(2 Kept admin -)',
      '(3 Kept admin -)',
      '4 Kept admin neutral',
      '(5 Kept admin -)',
      '6 Kept auto -',
      '7 Kept auto negative',
    ]);
  });

  it('ends as the rules say, whatever an answer has of both', async () => {
    const pairs = HAVES.flatMap((gone) => HAVES.map((kept) => ({ gone, kept })));
    const accountId = await accountWithAnswers(pairs.length);
    await create(accountId, 'Gone');
    await create(accountId, 'Kept');
    const rows = pairs.flatMap(({ gone, kept }, answer) => [
      { answer, topic: 1, has: gone },
      { answer, topic: 2, has: kept },
    ]);
    const put = rows.filter(({ has }) => has !== 'nothing');
    await db.query(
      `insert into text.topic_assignment (account_id, answer, topic_id, origin, sentiment, sentiment_version, removed_at)
       select $1, n.answer, n.topic, split_part(n.has, ' ', 1), case when n.has ~ '(scored|stated)' then 'positive' end,
         case when n.has ~ 'scored' then 'test' end, case when n.has ~ 'removed' then now() end
       from unnest($2::int[], $3::int[], $4::text[]) n (answer, topic, has)`,
      [accountId, put.map(({ answer }) => answer), put.map(({ topic }) => topic), put.map(({ has }) => has)],
    );
    await asOperator(accountId).mergeTopics({ topic: 'Gone', into: 'Kept' });
    const expected = pairs.flatMap(({ gone, kept }, answer) => {
      const has = merged(gone, kept);
      return has === 'nothing' ? [] : [SHOWN[has].replace('answer', String(answer))];
    });
    expect(await assignmentsOf(accountId)).toEqual(expected);
  });

  it('makes the old name mean the topic that stays, in facts too', async () => {
    const accountId = await accountWithAnswers(2);
    await create(accountId, 'Gone');
    await intake.publishFacts(accountId, 'topic', [topicFact('Stated'), topicFact('Kept')]);
    await asOperator(accountId).mergeTopics({ topic: 'Gone', into: 'Kept' });
    await asOperator(accountId).mergeTopics({ topic: 'Stated', into: 'Kept' });
    await intake.publishFacts(accountId, 'topic_assignment', [decision(uuidOf(0), 'GONE'), decision(uuidOf(1), 'stated')]);
    expect(await assignmentsOf(accountId)).toEqual(['0 Kept admin -', '1 Kept admin -']);
    expect(await rejection(asOperator(accountId).mergeTopics({ topic: 'Gone', into: 'Kept' }))).toMatchObject({
      code: 'not_found',
    });
    expect(await rejection(asOperator(accountId).mergeTopics({ topic: 'kept', into: 'Kept' }))).toMatchObject({
      code: 'invalid',
    });
  });
});

describe('a change of topics', () => {
  it('publishes an event of ids, and is audited', async () => {
    const { accountId } = await operator.createAccount();
    await create(accountId, 'Planted');
    await create(accountId, 'Other');
    await asOperator(accountId).renameTopic({ topic: 'Planted', name: 'Planted too' });
    await asOperator(accountId).setTopicKeywords({ topic: 'Other', language: 'en', words: ['planted'] });
    await asOperator(accountId).setTopicKeywords({ topic: 'Other', language: 'en', words: ['planted'] });
    await asOperator(accountId).mergeTopics({ topic: 'Other', into: 'Planted too' });
    const bus = await connect({ servers: stack.natsUrl });
    const events = (await eventsOf(db, bus, accountId)).filter(({ what }) => what.startsWith('topic.'));
    await bus.close();
    expect(events.map(({ what, payload }) => [what, TopicEvent.decode(payload)])).toMatchObject([
      ['topic.created', { account_id: accountId, topic_id: 1, taxonomy_version: 1 }],
      ['topic.created', { topic_id: 2, taxonomy_version: 2 }],
      ['topic.renamed', { topic_id: 1, taxonomy_version: 2 }],
      ['topic.keywords_changed', { topic_id: 2, taxonomy_version: 3 }],
      ['topic.merged', { topic_id: 1, merged_topic_id: 2, taxonomy_version: 4 }],
    ]);
    const bytes = events.map(({ headers, payload }) => JSON.stringify(headers) + Buffer.from(payload).toString('latin1'));
    expect(bytes.join('\n')).not.toMatch(/planted/i);
    const { rows } = await db.query(
      'select actor, action from admin.audit where account_id = $1 and action like $2 order by id',
      [accountId, 'topic.%'],
    );
    expect(rows).toEqual(
      ['create', 'create', 'rename', 'keywords', 'keywords', 'merge'].map((action) => ({
        actor: 'tester',
        action: `topic.${action}`,
      })),
    );
  });
});
