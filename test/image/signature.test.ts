import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { canSign, expectSignature, openSigner } from '../support/signing.ts';
import { reportSkipped } from '../support/skipped.ts';
import { docker } from './docker.ts';

if (!canSign) reportSkipped('image', 'its signature: `.ci/tools` brings cosign and crane');

describe.skipIf(!canSign)('the pushed image', () => {
  it('is signed as deploy/bin/release does, and verified as documented', { timeout: 300_000 }, async () => {
    await using signer = await openSigner();
    const push = async (source: string, name: string): Promise<string> => {
      await docker('tag', source, name);
      onTestFinished(async () => void (await docker('rmi', name)));
      await docker('push', '--quiet', name);
      const digests = await docker('image', 'inspect', '--format', '{{join .RepoDigests "\\n"}}', name);
      return digests.split('\n').find((digest) => digest.startsWith(signer.repository)) ?? '';
    };
    const image = await push(inject('image'), `${signer.repository}:9.9.9`);
    const container = await docker('create', inject('image'));
    const other = await docker('commit', '--change', 'LABEL tampered=yes', container);
    await docker('rm', container);
    await expectSignature(signer, image, await push(other, `${signer.repository}:tampered`));
    expect(await docker('run', '--rm', image, 'surveyctl', '--version')).toMatch(/^\d+\.\d+\.\d+/);
  });
});
