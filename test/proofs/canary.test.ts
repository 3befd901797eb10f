import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { apiAt, type Answer } from '../support/api.ts';
import { endSettling } from '../support/deleted-account.ts';
import { initiative, openIntake, question, survey, uuidOf } from '../support/facts.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { textResponse } from '../support/text-fixture.ts';
import { readOutputs } from '../failure/canary-scan.ts';
import { fuzz } from '../failure/fuzz-run.ts';
import { startWholeStack } from '../failure/whole-stack.ts';

// Every input contains a canary, a unique marker value. Afterwards each canary occurs only
// where it is allowed.
const folder = await mkdtemp(join(tmpdir(), 'survey-canary-'));
const logFolder = join(folder, 'logs');
await mkdir(logFolder);
afterAll(() => rm(folder, { recursive: true, force: true }));

const collector = await startOtlpReceiver();
afterAll(() => collector[Symbol.asyncDispose]());

const settings = {
  LOG_LEVEL: 'debug',
  SWEEP_INTERVAL_SECONDS: '1',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_BSP_SCHEDULE_DELAY: '100',
};
const stack = await startWholeStack({ folder, logFolder, settings });
afterAll(() => stack[Symbol.asyncDispose]());
const { operator, db } = stack;
const api = apiAt(stack.gatewayUrl);
const intake = await openIntake({ natsUrl: stack.nats.url, databaseUrl: db.options.connectionString ?? '' });
const account = await operator.createAccount({ threshold: '100' });
const fuzzed = await operator.createAccount({ threshold: '100' });
const admin = { request: { requestId: 'test' }, account_id: account.accountId };

// Letters that form no word in any language, so that masking does not remove them.
const tag = [...randomBytes(8)].map((byte) => 'qxzvwk'[byte % 6]).join('');
const canary = (name: string): string => `zq${name}${tag}`;

// Allowed locations by input. The body of an import is deleted when the import ends, messages of
// INTAKE after 3 days.
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  email: ['imports.employee.email', 'imports.employee.email_key'],
  first: ['imports.employee.firstname'],
  last: ['bus stream INTAKE', 'imports.employee.lastname', 'text.answer.content'],
  id: [
    'bus stream INTAKE',
    'export.initiative.creator_import_id',
    'imports.employee.import_id',
    'imports.record_result.import_id',
  ],
  attribute: ['imports.attribute.name', 'imports.attribute.name_key'],
  option: ['imports.attribute_option.name'],
  idempotency: ['imports.import.idempotency_key'],
  // Of a skipped employee only the import_id is stored; account admins receive it.
  skippedid: ['imports.record_result.import_id', 'mail'],
  text: ['bus stream INTAKE', 'text.answer.content', 'text.masked_text.content'],
  textmail: ['bus stream INTAKE', 'text.answer.content'],
  dead: ['bus stream INTAKE'],
};

// What remains of the person after the erasure (docs/runbooks/employee-erasure.md).
const AFTER_ERASURE: Readonly<Record<string, readonly string[] | undefined>> = {
  ...ALLOWED,
  email: undefined,
  first: undefined,
  option: undefined,
  last: ['bus stream INTAKE'],
  id: ['bus stream INTAKE'],
};

// What remains of the account after its deletion (docs/runbooks/account-offboarding.md).
const AFTER_DELETION = { skippedid: ['mail'] };

const answers: Answer[] = [];
const get = async (path: string, headers: Record<string, string> = {}): Promise<void> => {
  answers.push(await api.get(path, account.readKey, headers));
};
const post = async (body: unknown, headers: Record<string, string> = {}): Promise<string> => {
  const answer = await api.post('/v1/employees/imports', body, account.writeKey, headers);
  answers.push(answer);
  return String(Object(answer.body).import_uuid);
};

async function importPeople(): Promise<void> {
  const attributes = [{ name: canary('attribute'), value: { name: canary('option') } }];
  const person = {
    import_id: canary('id'),
    email: `${canary('email')}@example.org`,
    firstname: canary('first'),
    lastname: canary('last'),
  };
  const skipped = {
    import_id: canary('skippedid'),
    email: `${canary('skippedmail')}@example.org`,
    firstname: canary('skippedname'),
    lastname: 'L',
    role: canary('role'),
  };
  const boss = { import_id: 'A1', email: 'admin@example.org', firstname: 'Ann', lastname: 'Lee', role: 'Admin' };
  const employees = [{ ...person, attributes }, skipped, boss];
  // PostgreSQL rejects a row with an error message that contains all its values.
  await db.query(`alter table imports.employee add constraint canary check (lastname <> '${canary('last')}') not valid`);
  const importUuid = await post({ employees }, { 'idempotency-key': canary('idempotency') });
  await expect
    .poll(
      async () => (await db.query('select attempts from imports.import where import_uuid = $1', [importUuid])).rows[0]?.attempts,
    )
    .toBeGreaterThan(1);
  await db.query('alter table imports.employee drop constraint canary');
  expect(await operator.importEnded(account.accountId, importUuid)).toMatchObject({ state: 'applied' });
}

async function sendWhatIsRejected(): Promise<void> {
  const headers = { 'user-agent': canary('agent'), cookie: `a=${canary('cookie')}`, authorization: `Bearer ${canary('bearer')}` };
  await get(`/v1/employees?limit=${canary('query')}`, headers);
  await get(`/v1/${canary('path')}`, headers);
  await get(`/v1/employees?created_after=${canary('time')}`);
  await get(`/v1/scores?question_ids=${canary('list')}`);
  answers.push(await api.get('/v1/employees', canary('badkey')));
  await post({ employees: [{ import_id: { a: canary('value') }, email: canary('value') }] });
  await post(`{"employees": [{"import_id": "${canary('broken')}`);
  await post(Buffer.from(canary('gzip')), { 'content-encoding': 'gzip' });
  await post({ employees: [] }, { 'content-type': canary('type') });
}

async function stateFacts(): Promise<void> {
  const { accountId } = account;
  await operator.admin.setSettings(
    { account_id: accountId, masking_entitled: true, masking: true, masking_categories: null },
    { caller: admin.request, deadlineMs: 10_000 },
  );
  await intake.publishFacts(accountId, 'initiative', [initiative(uuidOf(1), { creator: { import_id: canary('id') } })]);
  const unfit = [survey(2, { created_at: canary('dead') }), survey(3, { name: { [canary('dead')]: 'x' } })];
  await intake.publishFacts(accountId, 'survey', [survey(1, { text_threshold: 3 }), ...unfit]);
  await intake.publishFacts(accountId, 'question', [
    question(15),
    question(16, {
      type: canary('dead'),
      answer_options: [{ id: 0, name: {}, value: Number.NaN, is_maximum: false, is_minimum: false }],
    }),
  ]);
  await intake.publishFacts(accountId, 'initiative', [initiative('no uuid', { title: canary('dead'), status: canary('dead') })]);
  const text = `${canary('text')} write to ${canary('textmail')}@example.org about the canteen`;
  await intake.publishFacts(accountId, 'response', [
    ...[1, 2, 3].map((n) => textResponse({ n, texts: { 15: text } })),
    textResponse({ n: 4, texts: { 15: `Nobody asks ${canary('last')} about the canteen.` } }),
  ]);
  await expect
    .poll(async () => JSON.stringify((await api.get('/v1/text_responses', account.readKey)).body))
    .toContain(canary('text'));
}

async function readWhatFails(): Promise<void> {
  await db.query('revoke select on imports.employee from survey_export');
  await get('/v1/employees');
  expect(answers.at(-1)?.status).toBe(500);
  await db.query('grant select on imports.employee to survey_export');
  await expect.poll(async () => (await api.get('/v1/employees', account.readKey)).status).toBe(200);
}

async function scan(): Promise<{ outputs: ReadonlyMap<string, string>; found: Record<string, string[]> }> {
  const outputs = new Map([
    ...(await readOutputs(stack, [folder, logFolder])),
    ['traces', Buffer.concat(collector.bytes).toString('latin1')],
    ['rejections', JSON.stringify(answers)],
  ]);
  const found: Record<string, string[]> = {};
  const secrets = {
    readkey: account.readKey.slice(-20),
    writekey: account.writeKey.slice(-20),
    fuzzedkey: fuzzed.writeKey.slice(-20),
  };
  for (const [name, text] of outputs) {
    const place = name.startsWith('mail ') ? 'mail' : name;
    for (const [, word = ''] of text.toLowerCase().matchAll(new RegExp(`zq([a-z]+)${tag}`, 'g')))
      found[word] = [...new Set([...(found[word] ?? []), place])].sort();
    for (const [name, secret] of Object.entries(secrets))
      if (text.includes(secret)) found[name] = [...(found[name] ?? []), place];
  }
  return { outputs, found };
}

async function eraseThePerson(): Promise<void> {
  const { accountId: account_id } = account;
  const options = { caller: admin.request, deadlineMs: 10_000 };
  const employee = { employee_id: null, import_id: canary('id'), email: null };
  const { employee_id } = await operator.admin.eraseEmployee(
    { account_id, employee, dry_run: false, may_return: false },
    options,
  );
  await expect
    .poll(async () => (await operator.admin.showEmployeeErasure({ account_id, employee_id }, options)).state)
    .toBe('finished');
}

async function deleteTheAccount(): Promise<void> {
  const { accountId: account_id } = account;
  const options = { caller: admin.request, deadlineMs: 10_000 };
  const { rows } = await db.query<{ name: string }>('select name from admin.account where account_id = $1', [account_id]);
  const request = { account_id, name: rows[0]?.name ?? '', force: true, after_seconds: 0 };
  await operator.admin.deleteAccount(request, options);
  const state = async (): Promise<string> => {
    await endSettling(db, account_id);
    return (await operator.admin.showAccountDeletion({ account_id }, options)).state;
  };
  await expect.poll(state, { timeout: 60_000 }).toBe('finished');
}

it(
  'personal data and secrets occur only in their allowed locations, and not after an erasure or deletion [DATA-ERASURE-1] [DATA-DELETION-1]',
  { timeout: 180_000 },
  async () => {
    await importPeople();
    await sendWhatIsRejected();
    await stateFacts();
    await readWhatFails();
    const { faults } = await fuzz({ address: new URL(stack.gatewayUrl).host, writeKey: fuzzed.writeKey }, 1, 300);
    expect(faults).toEqual([]);
    await operator.admin.revokeKey(
      { account_id: account.accountId, key_id: account.writeKeyId },
      { caller: admin.request, deadlineMs: 10_000 },
    );
    await expect.poll(async () => (await readdir(stack.mailDir)).filter((name) => name.endsWith('.eml'))).not.toEqual([]);
    const { outputs, found } = await scan();
    // The scan covered data of every input.
    expect(collector.spans.map(({ service }) => service)).toEqual(
      expect.arrayContaining(['gateway', 'export', 'import-reconciler', 'text-analysis']),
    );
    expect(outputs.get('log gateway.log')).toContain('"request"');
    expect(outputs.get('log import-reconciler.log')).toContain('23514');
    expect(outputs.get('log postgres.log')).toContain('violates check constraint "canary"');
    expect(found).toEqual(ALLOWED);

    await eraseThePerson();
    expect((await scan()).found).toEqual(AFTER_ERASURE);
    await deleteTheAccount();
    expect((await scan()).found).toEqual(AFTER_DELETION);
  },
);
