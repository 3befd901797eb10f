import * as fc from 'fast-check';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TopicView } from '../topics/categoriser.ts';
import { starterTopics } from '../topics/starter-topics.ts';
import { createEmbeddedScorer } from './embedded-scorer.ts';
import { loadSentimentModels } from './sentiment-models.ts';

const scorer = createEmbeddedScorer(await loadSentimentModels());
const topics = new Map<string, TopicView>(starterTopics('en').map((topic, topicId) => [topic.name, { ...topic, topicId }]));

async function label(language: string, text: string, topicName = 'Team and colleagues', question?: string) {
  const topic = topics.get(topicName);
  if (topic === undefined) throw new Error(`there is no starter topic ${topicName}`);
  return (await scorer.score({ text, language, question, topic })).label;
}

describe('the embedded scorer', () => {
  it.each([
    ['en', 'My colleagues are wonderful, but the pay is really bad.', 'Team and colleagues', 'Pay and benefits'],
    ['de', 'Meine Kollegen sind großartig, aber die Bezahlung ist wirklich schlecht.', 'Team and colleagues', 'Pay and benefits'],
    ['fr', 'Mes collègues sont formidables, mais le salaire est vraiment mauvais.', 'Team and colleagues', 'Pay and benefits'],
    ['es', 'Mis compañeros son maravillosos, pero el sueldo es realmente malo.', 'Team and colleagues', 'Pay and benefits'],
    ['nl', "Mijn collega's zijn geweldig, maar het salaris is echt slecht.", 'Team and colleagues', 'Pay and benefits'],
  ])('%s: scores each topic of a mixed answer separately', async (language, text, good, bad) => {
    expect([await label(language, text, good), await label(language, text, bad)]).toEqual(['positive', 'negative']);
  });

  it.each([
    ['en', 'We are paid'],
    ['de', 'Das Team'],
    ['fr', "L'équipe"],
    ['es', 'El equipo'],
    ['nl', 'Het team'],
    ['pt', 'A equipa'],
    ['da', 'Teamet'],
    ['sv', 'Teamet'],
  ])('%s: scores a bare "%s" by the leaning of the question', async (language, text) => {
    expect(await label(language, text, 'Team and colleagues', 'What do you like most about working here?')).toBe('positive');
    expect(await label(language, text, 'Team and colleagues', 'Was sollten wir verbessern?')).toBe('negative');
  });

  it.each([
    ['pt', 'Os colegas são muito simpáticos', 'O salário é péssimo', 'Trabalho no armazém'],
    ['da', 'Mine kolleger er meget venlige', 'Lønnen er elendig', 'Jeg arbejder på lageret'],
    ['sv', 'Mina kollegor är mycket trevliga', 'Lönen är usel', 'Jag arbetar på lagret'],
  ])('%s: tells praise, blame and facts apart', async (language, good, bad, fact) => {
    expect([await label(language, good), await label(language, bad), await label(language, fact)]).toEqual([
      'positive',
      'negative',
      'neutral',
    ]);
  });

  it('lets strong words override the question', async () => {
    expect(
      await label(
        'en',
        'Nothing, the team is toxic and my colleagues are rude and incompetent',
        'Team and colleagues',
        'What do you like about your team?',
      ),
    ).toBe('negative');
  });

  it('ignores the question for a bare `nothing`', async () => {
    expect(await label('en', 'Nothing', 'Team and colleagues', 'What should we improve?')).not.toBe('negative');
    expect(await label('de', 'Gar nichts', 'Team and colleagues', 'Was gefällt Ihnen?')).not.toBe('positive');
  });

  it('returns no label without evidence: no known word or language', async () => {
    expect(await label('en', '…')).toBeNull();
    expect(await label('en', '')).toBeNull();
    expect(await label('fi', 'Hyvä tiimi')).toBeNull();
  });

  it('scores a plain statement as neutral', async () => {
    expect(await label('en', 'My team has a meeting every Monday')).toBe('neutral');
  });
});

it('returns the same score in [-1, 1] for the same pair, whatever was scored before', async () => {
  const words = fc.constantFrom('team', 'not', 'good', 'terrible', ',', '.', 'but', '🙂', 'Kollegen', 'nicht');
  const text = fc.array(fc.oneof(words, fc.string()), { maxLength: 20 }).map((parts) => parts.join(' '));
  const topic = topics.get('Team and colleagues');
  if (topic === undefined) throw new Error('no team');
  await fc.assert(
    fc.asyncProperty(text, text, fc.constantFrom('en', 'de', 'xx'), async (one, other, language) => {
      const first = await scorer.score({ text: one, language, question: undefined, topic });
      await scorer.score({ text: other, language, question: undefined, topic });
      expect(await scorer.score({ text: one, language, question: undefined, topic })).toEqual(first);
      expect(Math.abs(first.score)).toBeLessThanOrEqual(1);
    }),
  );
});

describe('loading the weights', () => {
  it('rejects a file that differs from the manifest', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'survey-models-'));
    try {
      await cp(new URL('../../models/', import.meta.url), folder, { recursive: true });
      const file = join(folder, 'sentiment.nl.bin');
      const bytes = await readFile(file);
      bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
      await writeFile(file, bytes);
      await expect(loadSentimentModels(pathToFileURL(`${folder}/`))).rejects.toThrow('cannot load models/sentiment.nl.bin');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
