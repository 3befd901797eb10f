import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchMaskingModel } from '@survey/local/masking-model.ts';
import { MODEL_FOLDER, openClassifier } from '@survey/text/masking/recogniser/open-classifier.ts';
import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { reportSkipped } from '../support/skipped.ts';
import { startFileStack } from '../support/file-stack.ts';
import { openTextFixture, textResponse } from '../support/text-fixture.ts';

const run = promisify(execFile);

const hasModel = await fetchMaskingModel(() => undefined).then(
  () => true,
  (error: unknown) => {
    reportSkipped('text-masking-model', `the masking model is missing: ${String(error)}`);
    return false;
  },
);
const files = await startFileStack({ 'text-analysis': { MASKER: hasModel ? 'rules+model' : 'rules' } });
const { fixture, state, texts, settings } = await openTextFixture(files);

async function attemptsIn({ accountId }: Account): Promise<number> {
  const { rows } = await files.db.query<{ attempts: number }>(
    "select coalesce(max(attempts), 0)::integer as attempts from text.pending where account_id = $1 and stage = 'mask'",
    [accountId],
  );
  return rows[0]?.attempts ?? 0;
}

const ON = { masking_entitled: true, masking: true };

describe('the masking model', () => {
  it.runIf(hasModel)('masks names that no rule finds, beside the rules [TEXTS-MASKING-1]', async () => {
    const account = await fixture();
    const text = 'i asked priyanka raghunathan, then person1@example.com';
    await state(account, 'response', ...[1, 2, 3].map((n) => textResponse({ n, texts: { 15: text } })));
    await settings(account, ON);
    await expect.poll(() => texts(account)).toEqual(Array(3).fill('i asked [NAME], then [EMAIL]'));
  });

  it.runIf(hasModel)('masks a short text while it reads a long one [TEXTS-MASKING-1]', { timeout: 120_000 }, async () => {
    const [long, short] = [await fixture(), await fixture()];
    const filler = 'On the way to work we met the people of the other team, who had just come back to Xanthoria. ';
    const name = 'priyanka raghunathan';
    const mentions = [0, 20, 40].map((before) => `${filler.repeat(before)}nobody but ${name} knew it. `);
    const text = mentions.join('').padEnd(20_000, filler);
    await state(long, 'response', ...[1, 2, 3].map((n) => textResponse({ n, texts: { 15: text } })));
    await settings(long, ON);
    await expect.poll(() => attemptsIn(long)).toBeGreaterThan(0);
    await state(short, 'response', ...[1, 2, 3].map((n) => textResponse({ n, texts: { 15: `i asked ${name}` } })));
    await settings(short, ON);
    await expect.poll(() => texts(short)).toEqual(Array(3).fill('i asked [NAME]'));
    expect(await texts(long)).toEqual([]);
  });

  // The library would store an identifier of the machine in the home folder, and send usage data.
  it.runIf(hasModel)('leaves no trace of its library in the home folder', async () => {
    const home = await mkdtemp(join(tmpdir(), 'survey-home-'));
    const script = `import('@survey/text/masking/recogniser/open-classifier.ts').then(async ({ openClassifier }) => {
      const { classify } = await openClassifier();
      console.log((await classify('ask Priyanka')).length);
      process.exit();
    })`;
    const { ORT_DISABLE_TELEMETRY: _, ...inherited } = process.env;
    const env = { ...inherited, HOME: home, XDG_CACHE_HOME: join(home, '.cache') };
    const { stdout, stderr } = await run(process.execPath, ['--eval', script], { env, cwd: import.meta.dirname });
    expect({ stdout, stderr }).toEqual({ stdout: '1\n', stderr: '' });
    expect(await readdir(home)).toEqual([]);
    await rm(home, { recursive: true });
  });

  it.runIf(hasModel)('can be another one, whose labels mean something else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'survey-model-'));
    for (const file of ['model.onnx', 'vocab.txt']) await symlink(join(MODEL_FOLDER, file), join(folder, file));
    const open = async (labels: unknown[]) => {
      await writeFile(join(folder, 'labels.json'), JSON.stringify({ labels }));
      return openClassifier(folder);
    };
    // The labels of names of the shipped model.
    const labels = Array.from({ length: 35 }, (_, index) => (index >= 1 && index <= 4 ? 'address' : null));
    await using shipped = await openClassifier();
    await using other = await open(labels);
    expect(await shipped.classify('ask Priyanka')).toMatchObject([{ start: 4, end: 12, name: expect.closeTo(1, 1) }]);
    expect(await other.classify('ask Priyanka')).toMatchObject([{ start: 4, end: 12, name: 0, address: expect.closeTo(1, 1) }]);
    expect(other.version).not.toBe(shipped.version);
    await expect(open(labels.slice(1))).rejects.toThrow('must return logits of 34 labels');
    await expect(open(['person'])).rejects.toThrow('labels.json must have');
    await rm(folder, { recursive: true });
  });
});
