import type { ServiceContext } from '@survey/process/service.ts';
import { createBreaker } from '@survey/rpc/breaker.ts';
import { z } from 'zod';
import { codePointOffsets } from '@survey/text/masking/code-points.ts';
import type { AnswerToMask, Masker, Span } from '@survey/text/masking/masker.ts';
import { categoryOf } from './presidio-entities.ts';
import { withoutOverlaps } from '@survey/text/masking/without-overlaps.ts';

export interface PresidioSettings {
  // Base URL of the analyzer, such as http://presidio:3000.
  readonly url: string;
  // Timeout per answer, from the call to the last byte.
  readonly timeoutMs: number;
  // ISO 639-1 languages that it has a model for; answers in other languages are sent as the first.
  readonly languages: readonly [string, ...string[]];
}

const analysis = z.array(
  z.object({ start: z.int().min(0), end: z.int().min(0), score: z.number().min(0).max(1), entity_type: z.string() }),
);

/**
 * Creates a masker that masks what a Presidio analyzer or `inner` finds. Any failure of the
 * analyzer is an error, so the answer is not masked and not released. After many failures a circuit
 * breaker rejects calls for 2 s.
 */
export function createPresidioMasker(inner: Masker, settings: PresidioSettings, context: ServiceContext): Masker & Disposable {
  const breaker = createBreaker('presidio', context);
  return {
    version: `${inner.version}+presidio-1`,
    find: async (answer) => {
      const [own, theirs] = await Promise.all([inner.find(answer), breaker.guard(() => analyze(answer, settings))]);
      return withoutOverlaps([...own, ...theirs], answer.text);
    },
    [Symbol.dispose]: () => breaker[Symbol.dispose](),
  };
}

async function analyze({ text, language, categories }: AnswerToMask, settings: PresidioSettings): Promise<Span[]> {
  const results = await post(text, settings.languages.includes(language) ? language : settings.languages[0], settings);
  const offsets = codePointOffsets(text);
  const spans: Span[] = [];
  for (const { start, end, score, entity_type: entityType } of results) {
    const [from, to] = [offsets[start], offsets[end]];
    if (from === undefined || to === undefined || from >= to)
      throw new Error('cannot mask with Presidio: span outside the text; check its version');
    const category = categoryOf(entityType);
    if (category !== undefined && categories.has(category)) {
      spans.push({ start: from, end: to, category, source: 'presidio', confidence: score });
    }
  }
  return spans;
}

// No error here may contain the request or the response: both contain the answer's text.
async function post(text: string, language: string, { url, timeoutMs }: PresidioSettings): Promise<z.infer<typeof analysis>> {
  const response = await fetch(new URL('/analyze', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: text.toWellFormed(), language }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`cannot mask with Presidio: status ${response.status}; see its log`);
  const parsed = analysis.safeParse(parseJson(body));
  if (!parsed.success)
    throw new Error('cannot mask with Presidio: response is not a list of entities; check its address and version');
  return parsed.data;
}

// JSON.parse quotes the text in its error.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
