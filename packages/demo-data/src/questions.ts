import type { questionLine } from '@survey/bus/lines/line.ts';
import type { z } from 'zod';

/** A text in the languages of the generated surveys. */
export type Translated = Record<string, string>;

export function question(en: string, de: string, fr: string, es: string, nl: string): Translated {
  return { en, de, fr, es, nl };
}

/** An answer option before it has an id. */
interface OptionBlueprint {
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

const FIVE_STARS = scale(
  [1, 2, 3, 4, 5].map((stars) => ({ en: '★'.repeat(stars) })),
  1,
);

const ZERO_TO_TEN = scale(
  Array.from({ length: 11 }, (_, value) => ({ en: String(value) })),
  0,
);

const FIVE_FACES = scale(
  [
    { en: 'Very bad', de: 'Sehr schlecht' },
    { en: 'Bad', de: 'Schlecht' },
    { en: 'So-so', de: 'Geht so' },
    { en: 'Good', de: 'Gut' },
    { en: 'Very good', de: 'Sehr gut' },
  ],
  1,
);

const FEEDBACK: readonly OptionBlueprint[] = [
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

const WISHES = choices([
  { en: 'More people', de: 'Mehr Leute' },
  { en: 'Better tools', de: 'Bessere Werkzeuge' },
  { en: 'More training', de: 'Mehr Weiterbildung' },
  { en: 'Clearer goals', de: 'Klarere Ziele' },
  { en: 'Flexible hours', de: 'Flexible Zeiten' },
  { en: 'More recognition', de: 'Mehr Anerkennung' },
]);

const VALUES = choices([
  { en: 'Pay', de: 'Gehalt' },
  { en: 'Colleagues', de: 'Kollegen' },
  { en: 'Meaning', de: 'Sinn' },
  { en: 'Security', de: 'Sicherheit' },
  { en: 'Growth', de: 'Entwicklung' },
]);

const IMPROVEMENTS = choices([
  { en: 'Meetings', de: 'Besprechungen' },
  { en: 'Shift plans', de: 'Schichtpläne' },
  { en: 'Handovers', de: 'Übergaben' },
  { en: 'Nothing, it is fine', de: 'Nichts, es passt' },
]);

export type WrittenQuestion = z.input<typeof questionLine>;

/** A question before it has an id. */
export interface QuestionBlueprint {
  type: string;
  name: Translated;
  options: readonly OptionBlueprint[];
  isDeleted?: boolean;
  // Share of the respondents who answer it.
  answered: number;
  // Added to their mood, because a question asks for what is good or what is not.
  leaning?: number;
}

const text = (name: Translated, answered: number, leaning: number): QuestionBlueprint => ({
  type: 'textfield',
  name,
  options: [],
  answered,
  leaning,
});
const stars = (name: Translated): QuestionBlueprint => ({ type: 'stars', name, options: FIVE_STARS, answered: 0.97 });

const PROUD = stars(
  question(
    'I am proud to work here.',
    'Ich bin stolz, hier zu arbeiten.',
    'Je suis fier de travailler ici.',
    'Estoy orgulloso de trabajar aquí.',
    'Ik ben er trots op hier te werken.',
  ),
);
const SUPPORT = stars(
  question(
    'My manager supports me.',
    'Meine Führungskraft unterstützt mich.',
    'Mon responsable me soutient.',
    'Mi responsable me apoya.',
    'Mijn leidinggevende steunt mij.',
  ),
);
const LOAD = stars(
  question(
    'My workload is manageable.',
    'Meine Arbeit ist zu schaffen.',
    'Ma charge de travail est raisonnable.',
    'Mi carga de trabajo es razonable.',
    'Mijn werkdruk is te doen.',
  ),
);
const OLD = stars(
  question(
    'The canteen offers a good choice.',
    'Die Kantine bietet eine gute Auswahl.',
    'La cantine offre un bon choix.',
    'El comedor ofrece buena variedad.',
    'De kantine biedt een goede keuze.',
  ),
);
const RECOMMEND: QuestionBlueprint = {
  type: 'nps',
  name: question(
    'How likely are you to recommend us as an employer?',
    'Wie wahrscheinlich empfehlen Sie uns als Arbeitgeber?',
    'Recommanderiez-vous notre entreprise comme employeur ?',
    '¿Nos recomendaría como empresa para trabajar?',
    'Hoe waarschijnlijk is het dat u ons als werkgever aanbeveelt?',
  ),
  options: ZERO_TO_TEN,
  answered: 0.98,
};
const MONTH: QuestionBlueprint = {
  type: 'smiley_faces',
  name: question(
    'How was your month?',
    'Wie war Ihr Monat?',
    'Comment s’est passé votre mois ?',
    '¿Cómo fue su mes?',
    'Hoe was uw maand?',
  ),
  options: FIVE_FACES,
  answered: 0.97,
};
const HOW_OFTEN: QuestionBlueprint = {
  type: 'single_select',
  name: question(
    'How often do you get feedback?',
    'Wie oft bekommen Sie Feedback?',
    'À quelle fréquence recevez-vous un retour ?',
    '¿Con qué frecuencia recibe comentarios?',
    'Hoe vaak krijgt u feedback?',
  ),
  options: FEEDBACK,
  answered: 0.95,
};
const WISH: QuestionBlueprint = {
  type: 'multiple_select',
  name: question(
    'What would help you most?',
    'Was würde Ihnen am meisten helfen?',
    'Qu’est-ce qui vous aiderait le plus ?',
    '¿Qué le ayudaría más?',
    'Wat zou u het meest helpen?',
  ),
  options: WISHES,
  answered: 0.9,
};
const RANKED: QuestionBlueprint = {
  type: 'ranked_select',
  name: question(
    'What matters most to you at work?',
    'Was ist Ihnen bei der Arbeit am wichtigsten?',
    'Qu’est-ce qui compte le plus pour vous au travail ?',
    '¿Qué es lo más importante para usted en el trabajo?',
    'Wat is voor u het belangrijkst op het werk?',
  ),
  options: VALUES,
  answered: 0.85,
};
const CHANGE = text(
  question(
    'What should we change?',
    'Was sollten wir ändern?',
    'Que devrions-nous changer ?',
    '¿Qué deberíamos cambiar?',
    'Wat moeten we veranderen?',
  ),
  0.3,
  -0.8,
);
const KEEP = text(
  question('What works well?', 'Was läuft gut?', 'Qu’est-ce qui fonctionne bien ?', '¿Qué funciona bien?', 'Wat gaat er goed?'),
  0.2,
  0.8,
);
const IMPROVE: QuestionBlueprint = {
  type: 'single_select',
  name: question(
    'Where should we begin?',
    'Wo sollten wir anfangen?',
    'Par où commencer ?',
    '¿Por dónde deberíamos empezar?',
    'Waar moeten we beginnen?',
  ),
  options: IMPROVEMENTS,
  answered: 0.95,
};

export const PULSE = [
  PROUD,
  RECOMMEND,
  MONTH,
  HOW_OFTEN,
  WISH,
  RANKED,
  LOAD,
  CHANGE,
  KEEP,
  SUPPORT,
  { ...OLD, isDeleted: true, answered: 0.1 },
];
export const ONBOARDING = [SUPPORT, RECOMMEND, HOW_OFTEN, CHANGE];
export const TEAM_MOOD = [MONTH, KEEP];
export const BENEFITS = [PROUD, WISH, RANKED, CHANGE];
export const FOCUS = [IMPROVE, LOAD, CHANGE];
