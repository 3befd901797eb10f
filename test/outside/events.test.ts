import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { eventHeaders } from '@survey/bus/outbox.ts';
import { EVENTS } from '@survey/bus/events.ts';
import { provision } from '@survey/bus/provision.ts';
import { NATS } from '@survey/local/nats.ts';
import { reservePort } from '@survey/local/ports.ts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { obtainProgram } from '../support/processes.ts';
import { reportSkipped } from '../support/skipped.ts';
import { OutsideProject } from './project.ts';
import { RUNTIMES } from './runtimes.ts';

const DOCS = new URL('../../docs/', import.meta.url);

/** Returns the permissions of the user `payroll` that the table in docs/events.md lists. */
async function documentedPermissions(): Promise<string> {
  const text = await readFile(new URL('events.md', DOCS), 'utf8');
  const subjects = (direction: string): string[] =>
    [...text.matchAll(new RegExp(`^\\| ${direction}\\b[^|]*\\|(.*)\\|$`, 'gm'))].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, subject = '']) => subject),
    );
  return JSON.stringify({ publish: { allow: subjects('publish') }, subscribe: { allow: subjects('subscribe') } });
}

const natsServer = await obtainProgram(NATS).catch(() => undefined);
if (natsServer === undefined) reportSkipped('outside', '@survey/events: nats-server cannot be obtained as a program');

describe.skipIf(inject('missing') !== undefined || natsServer === undefined)('the packed @survey/events', () => {
  const resources = new AsyncDisposableStack();
  let project: OutsideProject;
  let natsUrl: string;
  let publisher: NatsConnection;
  let sequence = 0;

  beforeAll(async () => {
    project = resources.use(await OutsideProject.fromDocument('clients/events/README.md'));
    await writeFile(project.path('consume.mjs'), await readFile(new URL('examples/consume-events.mjs', DOCS)));
    natsUrl = await startServer();
    publisher = await connect({ servers: natsUrl, user: 'publisher', pass: 'p' });
    resources.defer(() => publisher.close());
    await provision({ natsUrl: natsUrl.replace('://', '://publisher:p@'), eventConsumers: ['payroll'] });
  });
  afterAll(() => resources.disposeAsync());

  async function startServer(): Promise<string> {
    const port = await reservePort();
    const folder = project.path('nats');
    await mkdir(folder);
    const users = [
      `{ user: publisher, password: p }`,
      `{ user: payroll, password: p, permissions: ${await documentedPermissions()} }`,
    ];
    const options = [`listen: "127.0.0.1:${port}"`, `jetstream { store_dir: "${folder}" }`];
    await writeFile(join(folder, 'nats.conf'), [...options, `authorization { users: [${users.join(',')}] }`].join('\n'));
    const server = spawn(natsServer ?? '', ['--config', join(folder, 'nats.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
    resources.defer(async () => {
      server.kill();
      await once(server, 'exit');
    });
    for await (const line of createInterface(server.stderr)) if (line.includes('Server is ready')) break;
    server.stderr.resume();
    return `nats://127.0.0.1:${port}`;
  }

  async function publish(messageId: string, importUuid: string): Promise<void> {
    sequence += 1;
    const message = { id: sequence, message_id: messageId, account_id: 1, subject: 'events.import.applied', sequence };
    const headers = eventHeaders('imports', { ...message, created_at: '2026-01-01T00:00:00Z', traceparent: null });
    const event = { account_id: 1, import_uuid: importUuid, state: 'applied', counts: null };
    const payload = EVENTS['events.import.applied'].encode(event).finish();
    await jetstream(publisher).publish(message.subject, payload, { headers });
  }

  /**
   * Runs the example, as the documented user by default, until it has printed the number of lines,
   * and stops it.
   */
  async function consume(
    lines: number,
    command: readonly string[],
    { args = [], user = 'payroll' }: { args?: readonly string[]; user?: string } = {},
  ): Promise<string[]> {
    const env = { PATH: process.env['PATH'], NATS_URL: natsUrl, NATS_USER: user, NATS_PASSWORD: 'p' };
    const [program = '', ...options] = [...command, 'consume.mjs', '--durable', 'payroll', ...args];
    const example = spawn(program, options, { cwd: project.folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const printed: string[] = [];
    for await (const line of createInterface(example.stdout)) if (printed.push(line) === lines) break;
    example.kill('SIGTERM');
    expect(await once(example, 'exit')).toEqual([0, null]);
    return printed.map((line) => line.split(' ').at(-1) ?? '');
  }

  it('consumes with exactly the documented permissions, once each, and continues after a restart', async () => {
    await publish('a', 'first');
    await publish('b', 'second');
    await publish('b', 'second');
    expect(await consume(2, RUNTIMES['Node 20'])).toEqual(['first', 'second']);
    await publish('c', 'third');
    expect(await consume(1, RUNTIMES['Node 22'])).toEqual(['third']);
  });

  it('replays from a position after the consumer was deleted', async () => {
    const js = jetstream(publisher);
    await (await js.jetstreamManager()).consumers.delete('EVENTS', 'payroll');
    // The documented user may not create a consumer.
    const args = ['--from-position', '2'];
    expect(await consume(2, RUNTIMES['Node 24'], { args, user: 'publisher' })).toEqual(['second', 'third']);
  });

  it('passes events of one consumer to each of two processes, none to both', async () => {
    let isDone = false;
    const both = Promise.all([consume(5, RUNTIMES['Node 20']), consume(5, RUNTIMES['Node 24'])]).finally(() => (isDone = true));
    // Each process needs events that are published after it has connected.
    for (let n = 0; !isDone; n++) {
      await publish(`n${n}`, `shared-${n}`);
      await sleep(20);
    }
    const [first, second] = await both;
    expect(first.filter((event) => second.includes(event))).toEqual([]);
  });
});
