import { describe, expect, it } from 'vitest';
import { suggestedKeywords } from './usual-topics.ts';

describe('suggested keywords [TEXTS-TOPICS-4]', () => {
  it.each([
    ['Salary', 'en', 'wage'],
    ['Gehalt', 'en', 'wage'],
    ['Canteen', 'de', 'Mittagessen'],
    ['Cantine - repas', 'en', 'lunch'],
    ['Pay / Parking', 'nl', 'parkeren'],
    ['Pay / Parking', 'de', 'Gehalt'],
    ['Kommunikation & Führung', 'en', 'manager'],
    ['Our IT support: laptops', 'fr', 'ordinateur'],
    ['Career paths', 'es', 'carrera'],
    ['Lønninger', 'sv', 'lön'],
    ['Home-Office', 'pt', 'teletrabalho'],
    ['Our direct supervisors', 'nl', 'leidinggevende'],
  ])('of %s contain, in %s, %s', (name, language, keyword) => {
    expect(suggestedKeywords(name)[language]).toContain(keyword);
  });

  it('of a narrow topic are not those of a wider one', () => {
    expect(suggestedKeywords('Canteen')['en']).not.toContain('desk');
  });

  it('are none for a name that shows no usual topic', () => {
    expect(suggestedKeywords('Blue Ocean')).toEqual({});
  });
});
