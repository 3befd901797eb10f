import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { immutableParts } from './immutable.ts';
import { PROFILES, render } from '../support/chart/render.ts';

// The render of the last release. Only a release writes it (docs/releasing.md):
// `WRITE_RELEASED=1 npm run test:chart -- released`.
const FILE = new URL('released.json', import.meta.url);
const parts = z.record(z.string(), z.record(z.string(), z.unknown()));
const { helm3 } = inject('tools');

describe.skipIf(helm3 === undefined)('immutable fields', async () => {
  const now = new Map(
    helm3 === undefined
      ? []
      : await Promise.all(
          PROFILES.map(
            async (profile) => [profile, immutableParts(await render({ values: [`profiles/${profile}.yaml`] }))] as const,
          ),
        ),
  );
  if (process.env['WRITE_RELEASED'] !== undefined)
    await writeFile(FILE, `${JSON.stringify(Object.fromEntries(now), undefined, 2)}\n`);
  const released = z.record(z.string(), parts).parse(JSON.parse(await readFile(FILE, 'utf8')));

  test.each(PROFILES)('keep the names, selectors and claims of the last release in %s', (profile) => {
    const before = released[profile] ?? {};
    expect(Object.keys(before).length).toBeGreaterThan(10);
    const kept = Object.fromEntries(Object.keys(before).map((name) => [name, now.get(profile)?.[name]]));
    expect(kept).toEqual(before);
  });
});
