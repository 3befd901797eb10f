import { describe, expect, it } from 'vitest';
import { createEmbeddedCategoriser } from './embedded-categoriser.ts';
import { starterTopics } from './starter-topics.ts';

const LANGUAGES = ['da', 'de', 'en', 'es', 'fr', 'nl', 'pt', 'sv'];

describe('the starter topics', () => {
  it.each(LANGUAGES)('have distinct names in %s, ignoring case', (language) => {
    const names = starterTopics(language).map(({ name }) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(14);
  });

  it('have English names for an unknown language', () => {
    expect(starterTopics('pl').map(({ name }) => name)).toEqual(starterTopics('en').map(({ name }) => name));
  });

  it('have 17 to 40 different keywords in each of their languages', () => {
    const lists = starterTopics('en').flatMap(({ name, keywords }) =>
      [...keywords].map(([language, words]) => ({ name, language, words })),
    );
    expect(lists.length).toBe(starterTopics('en').length * LANGUAGES.length);
    expect([...new Set(lists.map(({ language }) => language))].sort()).toEqual(LANGUAGES);
    expect(lists.filter(({ words }) => words.length < 17 || words.length > 40 || new Set(words).size < words.length)).toEqual([]);
  });

  it.each([
    ['en', 'My manager never listens and the salary is too low', ['Management', 'Pay and benefits', 'Communication']],
    [
      'de',
      'Tolle Kollegen, aber ständig Überstunden und kein Homeoffice',
      ['Workload and stress', 'Team and colleagues', 'Flexibility and working time'],
    ],
    ['fr', "Aucune possibilité d'évolution et pas de reconnaissance", ['Career and growth', 'Recognition']],
    ['es', 'Los ordenadores son lentos y hay mucha burocracia', ['Tools and equipment', 'Processes']],
    ['pt', 'O chefe nunca ouve e o salário é baixo', ['Management', 'Pay and benefits', 'Communication']],
    ['da', 'Vagtplanen kommer for sent, og der er for få folk', ['Workload and stress', 'Flexibility and working time']],
    ['sv', 'Lönen är låg men kollegorna hjälper varandra', ['Pay and benefits', 'Team and colleagues']],
    ['nl', 'De werkdruk is hoog en ik heb geen vast contract', ['Workload and stress', 'Job security']],
    ['fr', "Il fait froid dans l'atelier", []],
    ['es', 'La furgoneta está en el taller', []],
    ['nl', 'Mijn personeelsnummer klopt niet', []],
  ])('find in %s the topic of "%s"', async (language, text, expected) => {
    const topics = starterTopics('en').map((topic, topicId) => ({ ...topic, topicId }));
    const assigned = await createEmbeddedCategoriser().assign({ text, language, topics });
    expect(assigned.map(({ topicId }) => topics[topicId]?.name)).toEqual(expected);
  });
});
