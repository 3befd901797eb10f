import { SettingsChanged } from '@survey/proto/events/v1/events.ts';
import { connect } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../support/events.ts';
import { shareStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const file = await shareStack();
const { api, db, operator, stack } = file;
const surveyctl = surveyctlAt(stack);

async function accountWithCountry() {
  const account = await operator.createAccount();
  await file.importAndWait(account, [R(1, { attributes: [{ name: 'Country', value: { name: 'DE' } }] })]);
  const run = (...args: string[]) => surveyctl([...args, '--account', String(account.accountId), '--json']);
  return { ...account, run };
}

async function auditOf(accountId: number) {
  const { rows } = await db.query(
    `select actor <> '' as has_actor, before, after from admin.audit where account_id = $1 and action = 'settings.set' order by id`,
    [accountId],
  );
  return rows;
}

describe('surveyctl settings', () => {
  it('begin with the defaults [GUARD-SETTING-1]', async () => {
    const { run } = await accountWithCountry();
    expect(JSON.parse((await run('settings', 'show')).stdout)).toEqual({
      version: 0,
      text_filter_attribute: null,
      masking_entitled: false,
      masking: false,
      masking_effect: 'off',
      masking_categories: ['name', 'email', 'phone', 'address', 'id'],
      masking_allowed_names: [],
      masking_denied_words: [],
      categorisation: false,
      erased_answers: 'anonymise',
      disclosure_guard: 'off',
      guard_settling_hours: 24,
      notices_off: [],
      import_schedule: null,
      max_key_days: null,
      import_schedule_hour: null,
      guard_decided: false,
      rate_limit: null,
      retain_outcomes_days: null,
      retain_offboarded_days: null,
      retain_answers_days: null,
      retain_audit_days: null,
      default_retention: { outcomes_days: 30, offboarded_days: 0, answers_days: 0, audit_days: 0 },
      changed_at: null,
    });
  });

  it('grow by a version with each change, are audited, and publish an event', async () => {
    const { run, accountId } = await accountWithCountry();
    await run('settings', 'set', '--text-filter-attribute', ' cOUNTRY ', '--categorisation', 'on');
    await run('settings', 'set', '--masking-entitled', 'true', '--masking', 'on', '--masking-categories', 'phone,name');
    const unchanged = await run('settings', 'set', '--masking-categories', 'name,phone');
    expect(JSON.parse(unchanged.stdout)).toMatchObject({
      version: 2,
      default_retention: { outcomes_days: 30 },
      text_filter_attribute: { name: 'Country' },
      masking_effect: 'on',
      masking_categories: ['name', 'phone'],
      categorisation: true,
    });
    expect(await auditOf(accountId)).toMatchObject([
      { has_actor: true, before: { version: 0, categorisation: false }, after: { version: 1, categorisation: true } },
      { has_actor: true, before: { version: 1, masking: false }, after: { version: 2, masking: true } },
    ]);
    const bus = await connect({ servers: stack.natsUrl });
    const events = (await eventsOf(db, bus, accountId)).filter(({ what }) => what === 'settings.changed');
    await bus.close();
    expect(events.map(({ payload }) => SettingsChanged.decode(payload))).toEqual([
      { account_id: accountId, version: 1 },
      { account_id: accountId, version: 2 },
    ]);
  });

  it('say what masking comes to [TEXTS-MASKING-3, TEXTS-MASKING-4]', async () => {
    const { run } = await accountWithCountry();
    const effectOf = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await run('settings', 'set', ...args)).stdout).masking_effect;
    expect(await effectOf('--masking', 'on')).toBe('without_effect');
    expect(await effectOf('--masking-entitled', 'true')).toBe('on');
    expect(await effectOf('--masking-entitled', 'false')).toBe('withheld');
    expect(await effectOf('--categorisation', 'on')).toBe('withheld');
    expect(await effectOf('--masking', 'off')).toBe('off');
  });

  it('take none for no text filter, and reject an attribute that does not exist', async () => {
    const { run } = await accountWithCountry();
    await run('settings', 'set', '--text-filter-attribute', 'Country');
    expect(await run('settings', 'set', '--text-filter-attribute', 'Shoe size')).toMatchObject({ exitCode: 1, stdout: '' });
    const { stdout } = await run('settings', 'set', '--text-filter-attribute', 'none');
    expect(JSON.parse(stdout)).toMatchObject({ text_filter_attribute: null });
  });

  it('keep a rate limit until it is set back to the default', async () => {
    const { run } = await accountWithCountry();
    const limitAfter = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await run('settings', 'set', ...args)).stdout).rate_limit;
    expect(await limitAfter('--rate-limit', '12000')).toBe(12_000);
    expect(await limitAfter('--categorisation', 'on')).toBe(12_000);
    expect(await limitAfter('--rate-limit', 'default')).toBe(null);
  });

  it.each([[], ['--rate-limit', '0'], ['--masking', 'yes'], ['--masking-categories', ''], ['--text-filter-attribute', '']])(
    'reject the usage %j',
    async (...args) => {
      expect(await surveyctl(['settings', 'set', '--account', '1', ...args])).toMatchObject({ exitCode: 2, stdout: '' });
    },
  );
});

describe('surveyctl attribute', () => {
  it('releases and withdraws by a loosely matched name, from the next call on [ATTRIBUTES-RELEASE-1, ATTRIBUTES-RELEASE-3]', async () => {
    const { run, readKey } = await accountWithCountry();
    const visible = async (): Promise<unknown> => (await api.get('/v1/attributes', readKey)).body;
    expect(await visible()).toMatchObject({ total_count: 0 });
    const released = await run('attribute', 'release', '--name', ' country');
    expect(await visible()).toMatchObject({ total_count: 1, attributes: [{ name: 'Country' }] });
    // Again: nothing changes.
    expect(await run('attribute', 'release', '--name', 'COUNTRY')).toMatchObject({ exitCode: 0, stdout: released.stdout });
    expect(JSON.parse((await run('attribute', 'list')).stdout)).toEqual({ attributes: [JSON.parse(released.stdout)] });
    await run('attribute', 'withdraw', '--name', 'Country');
    expect(await visible()).toMatchObject({ total_count: 0 });
  });

  it('shows what a change of a value would do, and makes it [ATTRIBUTES-MERGE-1]', async () => {
    const { run, ...account } = await accountWithCountry();
    const of = (n: number, name: string) => R(n, { attributes: [{ name: 'Country', value: { name } }] });
    await file.importAndWait(account, [of(1, 'DE'), of(2, 'de')]);
    const values = async (): Promise<unknown> => JSON.parse((await run('attribute', 'values', '--name', 'Country')).stdout);
    const before = await values();
    expect(before).toMatchObject({
      values: [
        { name: 'DE', employees: 1 },
        { name: 'de', employees: 1 },
      ],
    });
    const change = ['attribute', 'change-value', '--name', 'country', '--value', 'de', '--to'];
    expect(await run(...change, 'Germany', '--merge')).toMatchObject({ exitCode: 1, stdout: '' });
    const preview = await run(...change, 'DE', '--merge', '--dry-run');
    expect(JSON.parse(preview.stdout)).toMatchObject({ merges: true, into: { name: 'DE' } });
    expect(await values()).toEqual(before);
    expect(await run(...change, 'Germany')).toMatchObject({ exitCode: 0 });
    await expect.poll(values).toMatchObject({ values: [{ name: 'DE' }, { name: 'Germany', other_names: ['de'] }] });
  });

  it('rejects a name that the account does not have', async () => {
    const { run } = await accountWithCountry();
    expect(await run('attribute', 'release', '--name', 'Shoe size')).toMatchObject({ exitCode: 1, stdout: '' });
  });
});
