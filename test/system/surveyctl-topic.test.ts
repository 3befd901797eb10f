import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { shareStack } from '../support/file-stack.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const { operator, stack } = await shareStack();
const surveyctl = surveyctlAt(stack);

const change = z.object({
  before: z.object({ name: z.string() }).nullable(),
  after: z.object({ name: z.string(), keywords: z.record(z.string(), z.array(z.string())) }),
});

async function account() {
  const { accountId } = await operator.createAccount();
  const run = (...args: string[]) => surveyctl([...args, '--account', String(accountId)]);
  const changed = async (...args: string[]) => change.parse(JSON.parse((await run(...args, '--json')).stdout));
  return { run, changed };
}

const keywordsOf = (...lists: string[]): string[] => lists.flatMap((list) => ['--keywords', list]);

describe('surveyctl topic', () => {
  it('creates, renames, merges and lists [TEXTS-TOPICS-3]', async () => {
    const { run, changed } = await account();
    const pay = await changed('topic', 'create', '--name', 'Pay', ...keywordsOf('en:salary', 'de:Gehalt', 'en: wage'));
    expect(pay).toMatchObject({ before: null, after: { name: 'Pay', keywords: { de: ['Gehalt'], en: ['salary', 'wage'] } } });
    expect(await run('topic', 'create', '--name', 'PAY')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'surveyctl: another topic has this name (compared without case). To merge topics, use: topic merge\n',
    });
    await changed('topic', 'create', '--name', 'Wallet', '--description', 'what people are paid');
    expect(await changed('topic', 'rename', '--topic', 'pay', '--name', 'Salaries')).toMatchObject({
      before: { name: 'Pay' },
      after: { name: 'Salaries' },
    });
    await changed('topic', 'merge', '--topic', 'salaries', '--into', 'wallet');
    const list = await run('topic', 'list');
    expect(list.stdout).toMatch(/^TOPIC +ANSWERS +KEYWORDS\nWallet +0 +de 1, en 2\n$/);
    expect(JSON.parse((await run('topic', 'list', '--json')).stdout)).toEqual({
      topics: [
        {
          topic_id: 2,
          name: 'Wallet',
          description: 'what people are paid',
          keywords: { de: ['Gehalt'], en: ['salary', 'wage'] },
          match_names: ['Wallet', 'Pay'],
          answers: 0,
          is_active: true,
        },
      ],
      taxonomy_version: 3,
    });
  });

  it('creates a topic without keywords that nobody gave, and rejects one that can never match [TEXTS-TOPICS-4]', async () => {
    const { run, changed } = await account();
    const { after } = await changed('topic', 'create', '--name', 'Canteen');
    expect(after.keywords).toEqual({});
    const rejected = await run('topic', 'keywords', '--topic', 'Canteen', '--language', 'en', '--words', 'lunch,!!!');
    expect(rejected).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('"!!!" can never match') });
  });

  it('shows and replaces keywords', async () => {
    const { run, changed } = await account();
    await changed('topic', 'create', '--name', 'Pay', '--keywords', 'en:salary');
    await changed('topic', 'keywords', '--topic', 'Pay', '--language', 'de', '--words', 'Gehalt,Lohn');
    expect(JSON.parse((await run('topic', 'keywords', '--topic', 'PAY', '--json')).stdout)).toEqual({
      name: 'Pay',
      keywords: { de: ['Gehalt', 'Lohn'], en: ['salary'] },
    });
    const german = await run('topic', 'keywords', '--topic', 'Pay', '--language', 'de');
    expect(german.stdout).toMatch(/^LANGUAGE +KEYWORDS\nde +Gehalt, Lohn\n$/);
    const none = await changed('topic', 'keywords', '--topic', 'Pay', '--language', 'en', '--words', '');
    expect(none.after.keywords).toEqual({ de: ['Gehalt', 'Lohn'] });
    expect(await run('topic', 'keywords', '--topic', 'Team')).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it.each([
    ['topic', 'create'],
    ['topic', 'create', '--name', 'Pay', '--keywords', 'salary'],
    ['topic', 'create', '--name', 'Pay', '--keywords', 'en:a,,b'],
    ['topic', 'rename', '--topic', 'Pay'],
    ['topic', 'keywords', '--topic', 'Pay', '--words', 'salary'],
    ['text', 'rebuild', '--stage', 'translate'],
  ])('rejects the usage %s %s', async (...args) => {
    expect(await surveyctl([...args, '--account', '1'])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

describe('surveyctl text', () => {
  it('tells how far the stages of an account are', async () => {
    const { run } = await account();
    const { exitCode, stdout } = await run('text', 'status');
    expect({ exitCode, lines: stdout.split('\n').map((line) => line.split(/ {2,}/)) }).toEqual({
      exitCode: 0,
      lines: [
        ['answers', '0'],
        ['topics', '0'],
        ['taxonomy_version', '0'],
        [''],
        ['STAGE', 'STATE', 'TO DO', 'UNDER WAY', 'LAG', 'GIVEN UP'],
        ...['mask', 'categorise', 'sentiment'].map((stage) => [stage, 'off', '0', '0', '-', '0']),
        [''],
      ],
    });
  });

  it('rejects the rebuild of a stage that is off, and an account that does not exist', async () => {
    const { run } = await account();
    expect(await run('text', 'rebuild', '--stage', 'mask')).toMatchObject({
      exitCode: 1,
      stderr: 'surveyctl: mask is off: see settings show\n',
    });
    expect(await surveyctl(['text', 'status', '--account', '9999999'])).toMatchObject({
      exitCode: 1,
      stderr: 'surveyctl: there is no account 9999999\n',
    });
  });
});
