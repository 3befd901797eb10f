import { readFile } from 'node:fs/promises';

interface DescribedSettings {
  // Heading of the table: names of services, or "All services".
  readonly services: string;
  readonly names: readonly string[];
  readonly byDefault: string;
  readonly allowed: string;
}

/** Reads the tables of the configuration reference in docs/operating.md. */
export async function readSettingsReference(): Promise<DescribedSettings[]> {
  const text = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const [, reference = ''] = /^## Configuration reference$([^]*?)^## /m.exec(text) ?? [];
  return reference.split(/^### /m).flatMap((section) => {
    const [services = ''] = section.split('\n', 1);
    const rows = section.matchAll(/^\| (`[^|]+) \| ([^|]+) \| ([^|]+) \|/gm);
    return [...rows].map(([, names = '', byDefault = '', allowed = '']) => ({
      services,
      names: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
      byDefault: byDefault.replaceAll('`', ''),
      allowed,
    }));
  });
}
