import { createHash } from 'node:crypto';
import { emailKey } from '@survey/formats/email-key.ts';
import { expect, it } from 'vitest';
import { assignment, initiative, openIntake, question, response, survey, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { optionId } from '../support/scales.ts';
import { STARS } from '../support/score-fixture.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

// Plants one person in every table that can lead to a person, in the states that data waits in,
// erases the person, and searches all tables. What can lead to a person, the comments on columns
// say (docs/reference/personal-data.md). So a new table fails the test until the person is planted
// in it, or it is named below with the reason why the search cannot find anything.

const file = await startFileStack();
const { db, operator, stack, api } = file;
const intake = await openIntake(stack);
const surveyctl = surveyctlAt(stack);

const JANA = {
  import_id: 'P-7731',
  email: 'Jana.Kowalczyk@example.org',
  firstname: 'Jana',
  lastname: 'Kowalczyk',
  attributes: [{ name: 'Locker', value: { name: 'Kowalczyk 12' } }],
};
const COLLEAGUES = [2, 3, 4, 5, 6].map((n) => R(n, { reports_to_id: JANA.import_id }));

const NUMBERS_ONLY = 'numbers that lead to nobody without text.respondent and scoring.respondent, which are searched';
const OPERATORS = 'operators and what they did; they are not erased as employees';
// Hides, or finds, what comes later; only the account's admins know whom it means.
const WRITTEN_BY_ADMINS = ['admin.settings', 'text.topic'];
const NOT_PLANTED: Readonly<Record<string, string>> = {
  'admin.account_deletion': OPERATORS,
  'admin.api_key': OPERATORS,
  'admin.audit': 'keeps the id, which belongs to no name, as docs/runbooks/employee-erasure.md says',
  'imports.erased_employee': 'filled by the erasure itself',
  'imports.former_import_id': 'keyed hashes, for 30 days; employee-rekey.test.ts shows what they do after an erasure',
  'imports.outbox': 'ids of employees, for a day',
  'scoring.answer': NUMBERS_ONLY,
  'scoring.block': NUMBERS_ONLY,
  'scoring.removed_answer': NUMBERS_ONLY,
  'scoring.response': NUMBERS_ONLY,
  'text.masked_text': 'masks of text.answer, which is searched; employee-erasure.test.ts reads them',
  'text.response': NUMBERS_ONLY,
  'text.topic_assignment': NUMBERS_ONLY,
  'text.topic_model': 'weights of hashed words',
};

async function personalTables(): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select distinct c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = any('{admin,imports,export,scoring,text}'::regnamespace[]) and c.relkind in ('r', 'p')
       and col_description(c.oid, a.attnum) is not null order by 1`,
  );
  return rows.map(({ name }) => name);
}

const ownId = (id: number): string => `(^|[^0-9])${id}($|[^0-9])`;
const hex = (text: string): string => Buffer.from(text).toString('hex');
const ADDRESS_HASH = createHash('sha256').update(emailKey(JANA.email)).digest('hex');
const NAMES = [JANA.lastname, JANA.import_id, JANA.email, hex('Kowalczyk'), hex('kowalczyk'), hex(JANA.import_id), ADDRESS_HASH];

/** Returns the tables in which a row contains one of these, as text or within bytes. */
async function tablesWith(words: readonly string[]): Promise<string[]> {
  const { rows: tables } = await db.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = any('{admin,imports,export,scoring,text}'::regnamespace[]) and relkind in ('r', 'p') order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await db.query(
      `select from ${name} t where exists (select from unnest($1::text[]) word where to_jsonb(t)::text ~* word)`,
      [words],
    );
    if (rowCount !== 0) found.push(name);
  }
  return found;
}

interface Planted {
  readonly accountId: number;
  readonly id: number;
}

/** Plants the person in states that last too briefly, or wait for too long, to be reached here. */
async function plantWaiting({ accountId, id }: Planted): Promise<void> {
  const { rows } = await db.query<{ import_uuid: string }>(
    `select import_uuid from imports.import where account_id = $1 and state = 'cancelled'`,
    [accountId],
  );
  const fact = `'fact', '1', $2, 1, 'digest', 'a fact', 'test', 1`;
  for (const schema of ['export', 'scoring'])
    await db.query(
      `insert into ${schema}.deferred_fact (account_id, kind, object_id, missing_object, revision, digest, fact, source, line)
       values ($1, ${fact})`,
      [accountId, `import_id ${JANA.import_id}`],
    );
  await db.query(
    `insert into imports.deferred_fact (account_id, kind, object_id, employee_import_id, revision, digest, fact, source, line)
     values ($1, 'address', '1', $2, 1, 'digest', $3, 'test', 1)`,
    [accountId, JANA.import_id, `a fact about ${JANA.lastname}`],
  );
  await db.query(`insert into admin.identity (account_id, issuer, subject, employee_id) values ($1, 'https://x.io', $2, $3)`, [
    accountId,
    JANA.email,
    id,
  ]);
  // Removed, and asked again.
  await db.query(
    `insert into admin.notice_address (account_id, email, email_key, address_hash, language, removed_at)
     values ($1, '', null, decode($3, 'hex'), 'en', now()), ($1, $2, imports.email_key($2), decode($3, 'hex'), 'en', null)`,
    [accountId, JANA.email, ADDRESS_HASH],
  );
  await db.query('insert into imports.offboarding (account_id, import_uuid, employee_id) values ($1, $2, $3)', [
    accountId,
    rows[0]?.import_uuid,
    id,
  ]);
  await db.query(
    `insert into imports.mail (account_id, import_uuid, sent_to, sent_at) values ($1, $2, array[$3::bigint], now())
     on conflict (account_id, import_uuid) do update set sent_to = excluded.sent_to`,
    [accountId, rows[0]?.import_uuid, id],
  );
}

/** Plants what admins wrote about the person: it stays (docs/runbooks/employee-erasure.md). */
async function plantWordsOfAdmins(accountId: number): Promise<void> {
  const call = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
  const settings = { masking_categories: null, masking_denied_words: { words: ['Kowalczyk'] }, reason: 'a nickname' };
  await operator.admin.setSettings({ account_id: accountId, ...settings }, call);
  await db.query(
    `insert into text.topic (account_id, id, name_key, name, keywords) values ($1, 900, 'kowalczyk', 'Kowalczyk', '{}')`,
    [accountId],
  );
}

/** Renames the person's value, whose former name still means it. */
async function plantFormerValue(accountId: number): Promise<void> {
  const renamed = { attribute: 'Locker', value: 'Kowalczyk 12', new_name: 'Kowalczyk 13', maps_old_name: true, preview: false };
  const call = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
  await operator.admin.changeAttributeValue({ account_id: accountId, ...renamed }, call);
  const former = () => db.query('select from imports.option_alias where account_id = $1', [accountId]);
  await expect.poll(async () => (await former()).rowCount).toBe(1);
}

/** Requests another change of the value. Its row may be gone within seconds, when it is made. */
async function plantPendingChange(accountId: number): Promise<string> {
  const { rowCount } = await db.query(
    `insert into imports.value_change (account_id, option_id, new_name, maps_old_name)
     select account_id, id, 'Kowalczyk 14', true from imports.attribute_option where account_id = $1 and name = 'Kowalczyk 13'`,
    [accountId],
  );
  expect(rowCount).toBe(1);
  return 'imports.value_change';
}

it(
  'erases a person from every table that can lead to a person [DATA-ERASURE-1] [DATA-ERASURE-2]',
  { timeout: 120_000 },
  async () => {
    const account = await operator.createAccount();
    const { accountId } = account;
    await file.importAndWait(account, [JANA, ...COLLEAGUES]);
    const { employees } = await file.listEmployees(account);
    const id = employees.find(({ import_id }) => import_id === JANA.import_id)?.id ?? 0;
    const call = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
    await operator.admin.setSettings({ account_id: accountId, masking_categories: null }, call);
    await operator.admin.inviteAdmin({ account_id: accountId, email: JANA.email }, call);
    const permissions = { employees_with_access_to_results: [{ import_id: JANA.import_id }] };
    await intake.publishFacts(accountId, 'survey', [survey(1, { text_threshold: 3, score_threshold: 5, ...permissions })]);
    await intake.publishFacts(accountId, 'question', [question(11, STARS), question(15)]);
    const answers = (n: number, text: string) => [
      { question_id: 11, option_ids: [optionId(11, 1 + (n % 5))], text: null },
      { question_id: 15, option_ids: [], text },
    ];
    const texts = ['Fine.', 'Ask Jana Kowalczyk.', 'More light.', 'Quiet rooms.', 'Kowalczyk knows.', 'Good.'];
    const responses = employees.map((employee, n) =>
      response(uuidOf(n + 1), { employee: { id: employee.id }, answers: answers(n, texts[n] ?? '') }),
    );
    await intake.publishFacts(accountId, 'response', responses, { addRespondents: false });
    await intake.publishFacts(accountId, 'assignment', [assignment(1, { employee: { id } })]);
    const roles = { creator: { import_id: JANA.import_id }, assignee: { id } };
    await intake.publishFacts(accountId, 'initiative', [initiative(uuidOf(50), roles)]);
    const edit = { employee: { import_id: JANA.import_id }, lastname: 'Kowalczyk', attributes: [], cleared: [] };
    await intake.publishFacts(accountId, 'employee', [{ revision: 5, line: 3, employee_edit: edit }]);
    // A colleague who has answered before the import knows them.
    const waiting = response(uuidOf(70), { employee: { import_id: 'E9' }, answers: answers(1, 'Jana Kowalczyk helped me.') });
    await intake.publishFacts(accountId, 'response', [waiting], { addRespondents: false });
    // It would offboard all others, so it is cancelled and its body is kept.
    expect(await file.importAndWait(account, [JANA])).toMatchObject({ state: 'cancelled' });
    await plantFormerValue(accountId);
    await plantWordsOfAdmins(accountId);
    await plantWaiting({ accountId, id });
    const planted = new Set([...(await tablesWith(NAMES)), ...(await tablesWith([ownId(id)]))]);
    planted.add(await plantPendingChange(accountId));
    const unsearched = (await personalTables()).filter((name) => !planted.has(name) && !(name in NOT_PLANTED));
    expect(unsearched).toEqual([]);

    const erased = await surveyctl([
      'employee',
      'erase',
      '--account',
      String(accountId),
      '--import-id',
      JANA.import_id,
      '--json',
    ]);
    expect(erased).toMatchObject({ exitCode: 0 });
    expect(await tablesWith(NAMES)).toEqual(WRITTEN_BY_ADMINS);
    expect(await tablesWith([ownId(id)])).toEqual(['admin.audit', 'imports.employee', 'imports.erased_employee']);
    // As a replay of the stream delivers it.
    await intake.publishFacts(accountId, 'response', [waiting], { addRespondents: false });
    expect(await tablesWith(NAMES)).toEqual(WRITTEN_BY_ADMINS);
    await file.importAndWait(account, [...COLLEAGUES, R(9)]);
    const shown = async (): Promise<unknown> => (await api.get('/v1/text_responses?limit=100', account.readKey)).body;
    await expect.poll(shown).toMatchObject({ total_count: 7 });
    expect(JSON.stringify(await shown())).not.toMatch(/jana|kowalczyk/i);
  },
);
