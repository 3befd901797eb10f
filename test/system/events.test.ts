import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { enqueue } from '@survey/bus/outbox.ts';
import { SettingsChanged } from '@survey/proto/events/v1/events.ts';
import { afterAll, describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { asSeen, employeesIn, eventsOf, type SeenEvent } from '../support/events.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

const EXAMPLE = fileURLToPath(new URL('../../docs/examples/consume-events.mjs', import.meta.url));

const { stack, db, operator, importAndWait, listEmployees } = await startFileStack();
const bus = await connect({ servers: stack.natsUrl });
afterAll(() => bus.close());

const read = (account: Account, fromPosition = 1): Promise<SeenEvent[]> => eventsOf(db, bus, account.accountId, fromPosition);
const whatOf = (events: readonly SeenEvent[]): string[] => events.map(({ what }) => what);

/** Returns the events of an import of these employees. */
async function eventsOfImport(account: Account, employees: readonly unknown[]): Promise<SeenEvent[]> {
  const before = await read(account);
  await importAndWait(account, employees);
  return (await read(account)).slice(before.length);
}

/** Returns the changes in events of one kind, by import_id. */
async function changesIn(account: Account, events: readonly SeenEvent[], what: string): Promise<Record<string, string[]>> {
  const { employees } = await listEmployees(account);
  const importIds = new Map(employees.map(({ id, import_id }) => [id, import_id ?? '']));
  const told = events.filter((event) => event.what === `employee.${what}`).flatMap(employeesIn);
  return Object.fromEntries(told.map(({ id, changed_fields }) => [importIds.get(id), changed_fields]));
}

const bossOf = (n: number, boss: number, more: object = {}) => R(n, { reports_to_id: `E${boss}`, ...more });

describe('the events of an import', () => {
  it('come in order and in batches of up to 1,000, numbered without gaps, with the headers of CloudEvents', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 1_500));
    const events = await read(account);
    expect(whatOf(events)).toEqual(['import.accepted', 'employee.created', 'employee.created', 'import.applied']);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    const [, first, second] = events;
    const created = [first, second].map((event) => (event === undefined ? [] : employeesIn(event)));
    expect(created.map(({ length }) => length)).toEqual([1_000, 500]);
    expect(new Set(created.flat().map(({ id }) => id))).toHaveProperty('size', 1_500);
    expect(created.flat().every(({ changed_fields }) => changed_fields.length === 0)).toBe(true);
    expect(first?.headers).toEqual({
      'Nats-Msg-Id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'ce-specversion': '1.0',
      'ce-id': first?.headers['Nats-Msg-Id'],
      'ce-source': '/survey/import-reconciler',
      'ce-type': 'survey.employee.created',
      'ce-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      'ce-subject': String(account.accountId),
      'ce-sequence': '2',
      'content-type': 'application/protobuf',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/),
    });
    expect(events.map(({ headers }) => headers['traceparent']?.slice(3, 35))).toEqual(
      events.map(() => first?.headers['traceparent']?.slice(3, 35)),
    );
  });

  it('name the fields that change, also those of employees who come back', async () => {
    const account = await operator.createAccount({ threshold: '100' });
    await importAndWait(account, [R(1), bossOf(2, 1), R(3), R(4), R(5)]);
    const changed = await eventsOfImport(account, [
      R(1, { email: 'new@x.io', firstname: 'New', language: 'en', role: 'Manager', permissions: { all_data: true } }),
      bossOf(2, 3),
      R(3, { lastname: 'New', attributes: [{ name: 'Department', value: { name: 'Sales' } }] }),
      R(4),
    ]);
    expect(whatOf(changed)).toEqual(['import.accepted', 'employee.updated', 'employee.offboarded', 'import.applied']);
    expect(await changesIn(account, changed, 'updated')).toEqual({
      E1: ['email', 'firstname', 'language', 'role', 'permissions'],
      E2: ['supervisor'],
      E3: ['lastname', 'attributes'],
    });
    expect(await changesIn(account, changed, 'offboarded')).toEqual({ E5: [] });
    const back = await eventsOfImport(account, [...records(1, 4), R(5, { lastname: 'Back' })]);
    expect(await changesIn(account, back, 'reactivated')).toEqual({ E5: ['lastname'] });
  });

  it('report each employee who loses an offboarded supervisor, whatever the state of their own record', async () => {
    const account = await operator.createAccount({ threshold: '100' });
    await importAndWait(account, [R(1), bossOf(2, 1), bossOf(3, 1), bossOf(4, 1), R(5)]);
    const events = await eventsOfImport(account, [
      bossOf(2, 1),
      bossOf(3, 1, { lastname: 'Changed' }),
      bossOf(4, 1, { role: 'Boss' }),
      R(5),
    ]);
    expect(await changesIn(account, events, 'offboarded')).toEqual({ E1: [] });
    expect(await changesIn(account, events, 'updated')).toEqual({
      E2: ['supervisor'],
      E3: ['lastname', 'supervisor'],
      E4: ['supervisor'],
    });
  });

  it('are accepted and applied alone when nothing changes', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 3));
    expect(whatOf(await eventsOfImport(account, records(1, 3)))).toEqual(['import.accepted', 'import.applied']);
  });

  it('are accepted and cancelled alone when it is cancelled', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 4));
    const events = await eventsOfImport(account, [R(1, { lastname: 'Changed' }), R(9)]);
    expect(whatOf(events)).toEqual(['import.accepted', 'import.cancelled']);
  });

  it('hold no value of a record [DATA-EVENTS-1]', async () => {
    const account = await operator.createAccount();
    const secret = (n: number, value: string) =>
      R(n, {
        import_id: `planted-id-${n}`,
        email: `planted-${value}-${n}@x.io`,
        firstname: `planted${value}`,
        lastname: `planted${value}`,
        attributes: [{ name: `Planted ${value}`, value: { name: `planted ${value}` } }],
      });
    await importAndWait(account, [secret(1, 'a'), secret(2, 'a')]);
    await importAndWait(account, [secret(1, 'b'), secret(2, 'b')]);
    const events = await read(account);
    expect(events).toHaveLength(6);
    const bytes = events.map(({ headers, payload }) => JSON.stringify(headers) + Buffer.from(payload).toString('latin1'));
    expect(bytes.join('\n')).not.toMatch(/planted/i);
  });
});

it('settings.changed tells each new version of an account’s settings, and nothing when none is made', async () => {
  const { accountId } = await operator.createAccount();
  const set = (categorisation: boolean) => {
    const request = { account_id: accountId, categorisation, masking_categories: null };
    return operator.admin.setSettings(request, { caller: { requestId: 'test' }, deadlineMs: 5_000 });
  };
  for (const categorisation of [true, true, false]) await set(categorisation);
  const events = (await eventsOf(db, bus, accountId)).filter(({ what }) => what === 'settings.changed');
  expect(events.map(({ payload }) => SettingsChanged.decode(payload))).toEqual([
    { account_id: accountId, version: 1 },
    { account_id: accountId, version: 2 },
  ]);
  expect(events[0]?.headers).toMatchObject({ 'ce-source': '/survey/account-admin', 'ce-type': 'survey.settings.changed' });
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2]);
});

describe('a consumer', () => {
  it('can begin again anywhere in the stream', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 2));
    const events = await read(account);
    expect(await read(account, events[1]?.position)).toEqual(events.slice(1));
  });

  it('sees the same id when an event is delivered again', async () => {
    const consumer = { durable_name: 'test-redelivery', ack_policy: AckPolicy.Explicit, filter_subject: 'events.key.revoked' };
    await (await jetstreamManager(bus)).consumers.add('EVENTS', consumer);
    const account = await operator.createAccount();
    await operator.admin.revokeKey(
      { account_id: account.accountId, key_id: account.writeKeyId },
      { caller: { requestId: 'test' }, deadlineMs: 5_000 },
    );
    const durable = await jetstream(bus).consumers.get('EVENTS', 'test-redelivery');
    const first = await durable.next();
    first?.nak();
    const again = await durable.next();
    again?.ack();
    expect(again?.info.deliveryCount).toBe(2);
    expect(again && asSeen(again)).toEqual(first && asSeen(first));
    expect(again?.headers?.get('ce-source')).toBe('/survey/account-admin');
  });

  it('sees one applied event of an import, also when the outbox has sent it twice', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 2));
    const events = await read(account);
    await db.query('update imports.outbox set sent_at = null where account_id = $1', [account.accountId]);
    expect(await read(account)).toEqual(events);
    expect(whatOf(events).filter((what) => what === 'import.applied')).toHaveLength(1);
  });

  it('sees an event that JetStream takes for a duplicate of a message it has lost', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 2));
    const events = await read(account);
    const manager = await jetstreamManager(bus);
    for (const { position } of events) await manager.streams.deleteMessage('EVENTS', position);
    await db.query('update imports.outbox set sent_at = null where account_id = $1', [account.accountId]);
    expect(whatOf(await read(account))).toEqual(whatOf(events));
  });

  it('sees the events of a database that has lost commits and assigns ids again', async () => {
    await db.query('truncate imports.outbox restart identity');
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 2));
    expect(whatOf(await read(account))).toEqual(['import.accepted', 'employee.created', 'import.applied']);
  });

  it('sees events in their order also when there are more than the relay takes at once', async () => {
    const account = await operator.createAccount();
    const { accountId } = account;
    // Six of them exceed 4 MB; each one fits the bus limit.
    const payloads = [1, 2, 3, 4, 5, 6].map((n) => Buffer.alloc(900_000, n));
    await enqueue(
      db,
      'imports',
      accountId,
      payloads.map((payload) => ({ subject: 'events.employee.created', payload })),
    );
    const events = await read(account);
    expect(events.map(({ sequence, payload }) => [sequence, payload[0], payload.length])).toEqual(
      payloads.map((payload, index) => [index + 1, payload[0], payload.length]),
    );
  });

  it('prints a line for each event in the example of docs/examples', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 2));
    const [, created] = await read(account);
    const args = ['--durable', 'example', '--account', String(account.accountId), '--from-position', String(created?.position)];
    const example = spawn(process.execPath, [EXAMPLE, ...args], { env: { ...process.env, NATS_URL: stack.natsUrl } });
    const lines: string[] = [];
    for await (const line of createInterface(example.stdout)) if (lines.push(line) === 2) break;
    example.kill('SIGTERM');
    expect(await once(example, 'exit')).toEqual([0, null]);
    expect(lines[0]).toMatch(/import-reconciler +2 +events\.employee\.created +2 employees of import \S+$/);
    expect(lines[1]).toMatch(/import-reconciler +3 +events\.import\.applied +import \S+$/);
  });
});
