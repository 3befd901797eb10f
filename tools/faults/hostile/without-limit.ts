// Loaded before every service for an ablation: changes one line of the sources, which takes a limit
// away. WITHOUT_LIMIT names the file's end, the line's part and what replaces it, as JSON.
import { registerHooks } from 'node:module';

const { file, limit, instead }: { file: string; limit: string; instead: string } = JSON.parse(
  process.env['WITHOUT_LIMIT'] ?? '{}',
);

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(file)) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString();
    if (!source.includes(limit)) throw new Error(`cannot take away ${limit}: ${file} does not contain it`);
    return { ...loaded, source: source.replace(limit, instead) };
  },
});
