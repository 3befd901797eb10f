import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOOLS = join(ROOT, '.local/tools');
const execute = promisify(execFile);

/** Whether `.ci/tools` has brought what signs and serves images. */
export const canSign = ['cosign', 'crane'].every((tool) => existsSync(join(TOOLS, tool)));

/** Returns the commands of "Verify a release" in docs/releasing.md. */
export async function linesThatVerify(): Promise<string[]> {
  const page = await readFile(join(ROOT, 'docs/releasing.md'), 'utf8');
  return /## Verify a release[^]*```sh\n([^]*?)```/.exec(page)?.[1]?.trim().split('\n') ?? [];
}

/** A folder with throw-away keys, and a registry. */
export interface Signer extends AsyncDisposable {
  readonly repository: string;
  /** Runs a script that reaches nothing but the registry. Returns its output. */
  readonly run: (script: string) => Promise<string>;
}

export async function openSigner(): Promise<Signer> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-signed-'));
  const registry = spawn(join(TOOLS, 'crane'), ['registry', 'serve', '--address', '127.0.0.1:0']);
  const [said] = (await once(registry.stderr, 'data')) as [Buffer];
  const env = {
    PATH: `${TOOLS}:${process.env['PATH']}`,
    HOME: folder,
    COSIGN_PASSWORD: 'throw-away',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
  };
  const run = async (script: string): Promise<string> =>
    (await execute('bash', ['-euc', script], { cwd: folder, env, maxBuffer: 2 ** 26 })).stdout;
  const keyOf = (name: string): string =>
    `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ${name}.pem && openssl pkey -in ${name}.pem -pubout -out ${name}.pub`;
  await run(`${keyOf('survey')} && ${keyOf('other')} && cosign import-key-pair --key survey.pem --output-key-prefix cosign`);
  await mkdir(join(folder, 'dist'));
  await writeFile(join(folder, 'dist/survey-9.9.9.cdx.json'), '{"bomFormat":"CycloneDX","specVersion":"1.6"}');
  return {
    repository: `127.0.0.1:${/serving on port (\d+)/.exec(String(said))?.[1]}/survey`,
    run,
    [Symbol.asyncDispose]: async () => {
      registry.kill();
      await rm(folder, { recursive: true });
    },
  };
}

/**
 * Signs an image of the signer's registry, by digest, as deploy/bin/release does, and expects that
 * the documented command accepts it, and neither another key nor another image.
 */
export async function expectSignature({ run }: Signer, image: string, unsigned: string): Promise<void> {
  expect(unsigned).not.toBe(image);
  const signing = (await readFile(join(ROOT, 'deploy/bin/release'), 'utf8')).match(/^ *cosign .*$/gm) ?? [];
  expect(signing).toHaveLength(2);
  await run([`key=survey.pem version=9.9.9 image=${image}`, ...signing].join('\n'));
  const verify = (await linesThatVerify()).filter((line) => line.startsWith('cosign ')).join('\n');
  const verifying = (digest: string): string => verify.replace(/REGISTRY\/survey@sha256:…/, digest);
  expect(await run(verifying(image))).toContain(image.slice(image.indexOf('sha256:')));
  await expect(run(verifying(image).replace('survey.pub', 'other.pub'))).rejects.toMatchObject({
    stderr: expect.stringMatching(/invalid signature|no matching signatures/),
  });
  await expect(run(verifying(unsigned))).rejects.toMatchObject({ stderr: expect.stringContaining('no signatures found') });
}
