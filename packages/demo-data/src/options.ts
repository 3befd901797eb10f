import type { Translated } from './translated.ts';

/** An answer option before it has an id. */
export interface OptionBlueprint {
  name: Translated;
  value: number;
  is_maximum: boolean;
  is_minimum: boolean;
  // False: an answer that says nothing, such as "does not apply".
  counts?: false;
}

/** Options from the worst to the best. */
function scale(names: readonly Translated[], first: number): OptionBlueprint[] {
  return names.map((name, index) => ({
    name,
    value: first + index,
    is_maximum: index === names.length - 1,
    is_minimum: index === 0,
  }));
}

/** Options without a best or worst one. */
function choices(names: readonly Translated[]): OptionBlueprint[] {
  return names.map((name, index) => ({ name, value: index + 1, is_maximum: false, is_minimum: false }));
}

export const FIVE_STARS = scale(
  [1, 2, 3, 4, 5].map((stars) => ({ en: '★'.repeat(stars) })),
  1,
);

export const ZERO_TO_TEN = scale(
  Array.from({ length: 11 }, (_, value) => ({ en: String(value) })),
  0,
);

export const FIVE_FACES = scale(
  [
    { en: 'Very bad', de: 'Sehr schlecht' },
    { en: 'Bad', de: 'Schlecht' },
    { en: 'So-so', de: 'Geht so' },
    { en: 'Good', de: 'Gut' },
    { en: 'Very good', de: 'Sehr gut' },
  ],
  1,
);

export const FEEDBACK: readonly OptionBlueprint[] = [
  ...scale(
    [
      { en: 'Never', de: 'Nie', fr: 'Jamais', es: 'Nunca', nl: 'Nooit' },
      { en: 'Once a year', de: 'Einmal im Jahr', fr: 'Une fois par an', es: 'Una vez al año', nl: 'Eens per jaar' },
      { en: 'Every month', de: 'Jeden Monat', fr: 'Chaque mois', es: 'Cada mes', nl: 'Elke maand' },
      { en: 'Every week', de: 'Jede Woche', fr: 'Chaque semaine', es: 'Cada semana', nl: 'Elke week' },
    ],
    1,
  ),
  {
    name: { en: 'Does not apply', de: 'Trifft nicht zu', fr: 'Sans objet', es: 'No procede', nl: 'Niet van toepassing' },
    value: 0,
    is_maximum: false,
    is_minimum: false,
    counts: false,
  },
];

export const WISHES = choices([
  { en: 'More people', de: 'Mehr Leute' },
  { en: 'Better tools', de: 'Bessere Werkzeuge' },
  { en: 'More training', de: 'Mehr Weiterbildung' },
  { en: 'Clearer goals', de: 'Klarere Ziele' },
  { en: 'Flexible hours', de: 'Flexible Zeiten' },
  { en: 'More recognition', de: 'Mehr Anerkennung' },
]);

export const VALUES = choices([
  { en: 'Pay', de: 'Gehalt' },
  { en: 'Colleagues', de: 'Kollegen' },
  { en: 'Meaning', de: 'Sinn' },
  { en: 'Security', de: 'Sicherheit' },
  { en: 'Growth', de: 'Entwicklung' },
]);

export const IMPROVEMENTS = choices([
  { en: 'Meetings', de: 'Besprechungen' },
  { en: 'Shift plans', de: 'Schichtpläne' },
  { en: 'Handovers', de: 'Übergaben' },
  { en: 'Nothing, it is fine', de: 'Nichts, es passt' },
]);
