/** Phrases by kind and language, in which `{…}` is a number of that form. */
export type Kinds = Readonly<Record<string, Readonly<Record<Language, readonly string[]>>>>;

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'nl'] as const;
export type Language = (typeof LANGUAGES)[number];

const FRAMES: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'What bothers me is {x}.',
    'Nobody explained {x} to us.',
    'I would change this: {x}.',
    'We talked about {x} again, and nothing happened.',
    'Last month it was {x}, which is too much!',
  ],
  de: [
    'Was mich stört: {x}.',
    'Niemand hat uns erklärt, warum: {x}.',
    'Ich würde das ändern: {x}.',
    'Es ging wieder um {x}, und nichts ist passiert.',
    'Zuletzt hieß es {x}, das ist zu viel!',
  ],
  fr: [
    'Ce qui me gêne, c’est {x}.',
    'Personne ne nous a expliqué {x}.',
    'Je changerais ceci : {x}.',
    'On a encore parlé de tout cela, {x}, et rien ne change.',
    'Le mois dernier c’était {x}, c’est trop !',
  ],
  es: [
    'Lo que me molesta es {x}.',
    'Nadie nos ha explicado {x}.',
    'Yo cambiaría esto: {x}.',
    'Hablamos otra vez de lo mismo, {x}, y no pasó nada.',
    'El mes pasado fue {x}, ¡es demasiado!',
  ],
  nl: [
    'Wat mij stoort is {x}.',
    'Niemand heeft ons {x} uitgelegd.',
    'Dit zou ik veranderen: {x}.',
    'We hadden het weer over {x}, en er gebeurde niets.',
    'Vorige maand was het {x}, dat is te veel!',
  ],
};

/** A repeatable source of whole numbers from `from` to `to`. */
export type Dice = (from: number, to: number) => number;

export function diceOf(seed: number): Dice {
  let state = seed;
  return (from, to) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from + Math.floor((state / 2 ** 32) * (to - from + 1));
  };
}

const pick = (dice: Dice, items: readonly string[]): string => items[dice(0, items.length - 1)] ?? '';
const two = (value: number): string => String(value).padStart(2, '0');

const THOUSANDS: Readonly<Record<Language, readonly string[]>> = {
  en: [','],
  de: ['.', ' '],
  fr: [' '],
  es: ['.', ' '],
  nl: ['.'],
};
const SEPARATORS: Readonly<Record<Language, readonly string[]>> = {
  en: ['/', '-'],
  de: ['.'],
  fr: ['/', '.'],
  es: ['/', '-'],
  nl: ['-', '/'],
};

function written(form: string, language: Language, dice: Dice): string {
  const date = (): string =>
    [two(dice(1, 28)), two(dice(1, 12)), String(dice(2015, 2027))].join(pick(dice, SEPARATORS[language]));
  switch (form) {
    case 'd':
      return String(dice(1, 9));
    case 'time':
      return pick(dice, [':', '.', ...(language === 'fr' ? ['h'] : [])]).replace(
        /.*/,
        (mark) => two(dice(5, 22)) + mark + two(dice(0, 3) * 15),
      );
    case 'hhmm':
      return two(dice(0, 23)) + two(dice(0, 3) * 15);
    case 'year':
      return String(dice(1995, 2029));
    case 'y2':
      return two(dice(16, 29));
    case 'date':
      return date();
    case 'dm':
      return `${two(dice(1, 28))}.${two(dice(1, 12))}.`;
    case 'N':
      return [dice(1, 950), ...Array.from({ length: dice(1, 2) }, () => String(dice(0, 999)).padStart(3, '0'))].join(
        pick(dice, THOUSANDS[language]),
      );
    case 'uuid':
      return [8, 4, 4, 4, 12].map((length) => Array.from({ length }, () => dice(0, 15).toString(16)).join('')).join('-');
    default: {
      const length = Number(form.slice(1));
      return String(dice(10 ** (length - 1), 10 ** length - 1));
    }
  }
}

/** Returns the phrase with numbers, in a sentence of the language. */
function sentence(phrase: string, language: Language, dice: Dice): string {
  const filled = phrase.replaceAll(/\{(\w+)\}/g, (_, form: string) => written(form, language, dice));
  return pick(dice, FRAMES[language]).replace('{x}', () => filled);
}

/** Returns this many sentences with numbers and nothing personal, equally many of each kind. */
export function sentencesOf(kinds: Kinds, language: Language, count: number): { readonly kind: string; readonly text: string }[] {
  const dice = diceOf(47);
  const names = Object.keys(kinds);
  return Array.from({ length: count }, (_, at) => {
    const kind = names[at % names.length] ?? '';
    return { kind, text: sentence(pick(dice, kinds[kind]?.[language] ?? []), language, dice) };
  });
}
