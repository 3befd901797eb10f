import { reservePort } from '@survey/local/ports.ts';
import { expect, it } from 'vitest';
import { ConsoleClient } from '../support/console-client.ts';
import { prepareConsole } from '../support/console-process.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { startBalancer } from '../failure/balancer.ts';

const { stack, operator, importAndWait } = await startFileStack();
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
// Long enough for clients to see `Connection: close` on a slow machine.
const DRAIN_DELAY_MS = '3000';
const ADMINS = 3;
// Fewer than the 30 changes per minute that a session may make.
const MAX_CLICKS = 25;

it('loses no action while each of two replicas is replaced under clicks', async () => {
  await using resources = new AsyncDisposableStack();
  const admins = Array.from({ length: ADMINS }, (_, n) => ({ id: `admin-${n}`, name: `Admin ${n}`, email: `admin-${n}@x.io` }));
  const account = await operator.createAccount();
  await importAndWait(
    account,
    admins.map(({ email }, n) => R(n, { email, role: 'Admin' })),
  );
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const replicas = resources.use(await prepareConsole(stack, { url, people: admins, more: { DRAIN_DELAY_MS } }));
  await operator.admin.setIssuers({ account_id: account.accountId, issuers: [replicas.provider.issuer] }, AS_OPERATOR);
  const old = [await replicas.start(), await replicas.start()];
  const instances = [...old];
  resources.use(await startBalancer(`127.0.0.1:${port}`, instances));
  const clients = await Promise.all(
    admins.map(async ({ id }) => {
      const client = new ConsoleClient(url);
      await client.signIn(id, 'admins');
      return client;
    }),
  );
  let isOver = false;
  const path = `/a/${account.accountId}/topics`;
  const click = async (client: ConsoleClient, n: number): Promise<string[]> => {
    const created: string[] = [];
    for (let turn = 0; turn < MAX_CLICKS && !(isOver && turn > 2); turn += 1) {
      const name = `Topic ${n} ${turn}`;
      expect(await client.submit(path, path, { name })).toMatchObject({ status: 303, location: `${path}?done=created` });
      created.push(name);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return created;
  };
  const replace = async (): Promise<void> => {
    for (const replica of old) {
      instances.push(await replicas.start());
      await replica.stop();
    }
    isOver = true;
  };
  const [clicked] = await Promise.all([Promise.all(clients.map(click)), replace()]);
  const created = clicked.flat();
  const list = await clients[0]?.get(path);
  for (const name of created) expect(list?.text).toContain(`>${name}<`);
  expect(created.length).toBeGreaterThan(ADMINS * 3);
}, 120_000);
