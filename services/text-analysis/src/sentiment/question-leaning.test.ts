import { describe, expect, it } from 'vitest';
import { questionLeaning } from './question-leaning.ts';

describe('questionLeaning', () => {
  it.each([
    'What do you like most about working here?',
    'What is going well in your team?',
    'What are our strengths?',
    'What should we keep doing?',
    'What are you proud of?',
    'Was gefällt Ihnen an Ihrer Arbeit am besten?',
    'Was läuft gut?',
    'Was schätzen Sie an Ihrem Team?',
    "Qu'aimez-vous dans votre travail ?",
    'Quels sont les points forts de votre équipe ?',
    '¿Qué es lo que más te gusta de trabajar aquí?',
    '¿Qué funciona bien en tu equipo?',
    'Wat vind je goed aan je werk?',
    'Waar ben je trots op?',
  ])('returns positive: %s', (question) => expect(questionLeaning(question)).toBe('positive'));

  it.each([
    'What should we improve?',
    'What would you like to change?',
    'What do you like least about your job?',
    'What could your manager do better?',
    'What frustrates you?',
    'What do you dislike?',
    'Was sollten wir verbessern?',
    'Was gefällt Ihnen nicht?',
    'Was würden Sie ändern?',
    'Was läuft nicht gut?',
    'Que devrions-nous améliorer ?',
    "Qu'est-ce que vous n'aimez pas ?",
    'Que souhaitez-vous changer ?',
    '¿Qué deberíamos mejorar?',
    '¿Qué no te gusta?',
    '¿Qué cambiarías?',
    'Wat kunnen we verbeteren?',
    'Wat gaat er niet goed?',
    'Waar loop je tegen aan?',
  ])('returns negative: %s', (question) => expect(questionLeaning(question)).toBe('negative'));

  it.each([
    'Do you have any other comments?',
    'How do you feel about the canteen?',
    'What do you like, and what should we improve?',
    'How likely are you to recommend us?',
    'Is there anything else you would like to tell us?',
    'Haben Sie weitere Anmerkungen?',
    '¿Algo más?',
    '',
  ])('returns none: %s', (question) => expect(questionLeaning(question)).toBe('none'));
});
