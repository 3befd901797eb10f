import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SERVICES } from '@survey/local/service-environments.ts';
import { startLocalStack } from '@survey/local/start-stack.ts';
import { inFolder } from '../support/in-folder.ts';
import { startWholeStack } from '../failure/whole-stack.ts';
import { millisecondsOf, type Figure } from '../support/figures.ts';
import { SURVEYCTL } from './organisation.ts';

const SERVICE_MS = 1_200;
const HELP_MS = 300;
const LOCAL_STACK_MS = 8_000;

/** Measures the start of each service, of surveyctl, and of the stack with its demo account. */
export async function measureStart(_started: AsyncDisposableStack, isSmoke: boolean): Promise<Figure[]> {
  const times = isSmoke ? 1 : 5;
  const { NODE_COMPILE_CACHE = '' } = process.env;
  const help = (): Promise<unknown> => promisify(execFile)(process.execPath, [SURVEYCTL, '--help']);
  return [
    ...(await measureServices('compiled code cached', { NODE_COMPILE_CACHE }, times)),
    ...(await measureServices('without a cache', {}, times)),
    { what: 'surveyctl --help', unit: 'ms', ours: await repeat(times, () => millisecondsOf(help)), goal: { atMost: HELP_MS } },
    await measureLocalStack(times),
  ];
}

function measureServices(how: string, settings: Readonly<Record<string, string>>, times: number): Promise<Figure[]> {
  return inFolder(async (folder) => {
    await using stack = await startWholeStack({ folder, settings, logFolder: folder });
    const figures: Figure[] = [];
    for (const service of SERVICES) {
      const instance = stack.services[service];
      const start = async (): Promise<number> => {
        await instance.kill();
        return await millisecondsOf(() => instance.start());
      };
      const ours = await repeat(times, start);
      figures.push({ what: `${service} ready, ${how}`, unit: 'ms', ours, goal: { atMost: SERVICE_MS } });
    }
    return figures;
  });
}

function measureLocalStack(times: number): Promise<Figure> {
  return inFolder(async (folder) => {
    const given = { DATABASE_URL: undefined, NATS_URL: undefined, REDIS_URL: undefined, SMTP_URL: undefined, LOG_LEVEL: 'warn' };
    const start = async (): Promise<number> => {
      await using started = new AsyncDisposableStack();
      return await millisecondsOf(() => startLocalStack({ folder, demo: true, given, started }));
    };
    await start();
    return { what: 'npm start, again', unit: 'ms', ours: await repeat(times, start), goal: { atMost: LOCAL_STACK_MS } };
  });
}

async function repeat(times: number, measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let turn = 0; turn < times; turn += 1) values.push(await measure());
  return values;
}
