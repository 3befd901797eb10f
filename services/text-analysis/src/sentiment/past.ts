import type { Word } from '@survey/text/words/read-words.ts';

interface PastWords {
  // Enough alone: `used to be great`.
  readonly phrases: RegExp;
  // Words that mean an earlier time only next to a verb in the past: `was great before`.
  readonly formerly: RegExp;
  readonly verbs: RegExp;
}

// Matched on the folded words of a clause. What is compared with the past is about now: `besser als
// früher`.
const PAST: ReadonlyMap<string, PastWords> = new Map(
  Object.entries({
    en: {
      phrases:
        /(?<!\b(?:am|are|is|be|been|being|get|got|getting|was|were|m|re|s) )\bused to\b|\bonce (?:was|were)\b|\bbetter last (?:year|time)\b/u,
      formerly:
        /(?<!\b(?:than|as|like) )(?<!\b(?:than|as|like) \w+ )\b(?:before|previously|formerly|in the past|once|back then|originally|initially|until|years ago|in the old days|at first|at the beginning|in the beginning)\b/u,
      verbs: /\b(?:was|were|had|worked|felt|got|seemed|liked|loved|enjoyed)\b/u,
    },
    de: {
      phrases: /\bwar(?:en)? (?:ein)?mal\b|\bfruher mal\b|\bletzt\w+ \w+ (?:viel )?besser\b/u,
      formerly:
        /(?<!\b(?:als|wie) )\b(?:fruher|damals|ehemals|einst|vorher|zuvor|anfangs|am anfang|bis|in der vergangenheit|vor jahren|ursprunglich)\b/u,
      verbs:
        /\b(?:war|waren|gab|hatte|hatten|lief|liefen|machte|funktionierte|ging|fuhlte|hat|haben|gewesen|klappte|bekam|bekamen|konnte|konnten|durfte|durften|machten|gingen)\b/u,
    },
    es: {
      phrases: /\bsolian? (?:ser|estar|haber|tener)\b|\bmejor(?:es)? el \w+ pasado\b/u,
      formerly: /(?<!\bque )\b(?:antes|antiguamente|en el pasado|hasta|al principio|anteriormente|hace anos|en su dia|antano)\b/u,
      verbs: /\b(?:era|eran|fue|estuvo|eramos|\w+(?:aba|aban|abamos|ia|ian|iamos))\b/u,
    },
    fr: {
      phrases:
        /\b(?:autrefois|jadis)\b|\b(?:mieux|meilleure?s?) l an(?:nee)? derni\w+|\bplus (?:aussi|du tout|tres|vraiment|si)\b/u,
      formerly:
        /(?<!\b(?:qu|que) )\b(?:avant|auparavant|par le passe|dans le passe|au debut|jusqu a|a l epoque|il y a \w+ ans|jadis|anciennement)\b/u,
      verbs: /\b(?:\w+(?:ait|aient)|avions|etions|a ete|ont ete|fut)\b/u,
    },
    nl: {
      phrases: /\bwas ooit\b|\bwaren ooit\b|\bvorig\w* \w+ (?:veel )?beter\b/u,
      formerly:
        /(?<!\b(?:dan|als) )\b(?:vroeger|voorheen|ooit|destijds|toen|in het verleden|eerst|eerder|totdat|tot|jaren geleden|in het begin|aanvankelijk)\b/u,
      verbs: /\b(?:was|waren|had|hadden|ging|liep|werkte|geweest|voelde|kreeg|kregen|kon|konden|mocht|mochten|deed|deden)\b/u,
    },
    pt: {
      phrases: /\bcostumava(?:m)?\b/u,
      formerly: /(?<!\bque )\b(?:antes|antigamente|no passado|no inicio|ate que)\b/u,
      verbs: /\b(?:era|eram|estava|estavam|havia|tinha|tinham|foi)\b/u,
    },
    da: {
      phrases: /\bplejede at\b/u,
      formerly: /(?<!\bend )\b(?:for|tidligere|engang|forhen|dengang|i starten)\b/u,
      verbs: /\b(?:var|havde|gik|fungerede)\b/u,
    },
    sv: {
      phrases: /\bbrukade\b/u,
      formerly: /(?<!\ban )\b(?:forr|tidigare|forut|en gang|da|i borjan)\b/u,
      verbs: /\b(?:var|hade|gick|fungerade)\b/u,
    },
  }),
);

// Words of a clause without a verb.
const SHORT = 3;

/**
 * Checks whether the clause of these words says how something was before, so that its praise is
 * none today.
 */
export function isAboutPast(
  words: readonly Word[],
  { start, end }: { readonly start: number; readonly end: number },
  language: string,
): boolean {
  const past = PAST.get(language);
  if (past === undefined) return false;
  const said = foldedText(words, start, end);
  // A comma may follow: `Avant, c'était bien`.
  const before = words[start]?.after === 'clause' ? foldedText(words, Math.max(0, start - 2), start) : '';
  const at = past.formerly.test(before) ? 0 : said.search(past.formerly);
  // `Canteen: früher top` has no verb.
  return past.phrases.test(said) || (at === 0 && end - start <= SHORT) || (at >= 0 && past.verbs.test(said));
}

function foldedText(words: readonly Word[], start: number, end: number): string {
  return words
    .slice(start, end)
    .map(({ folded }) => folded)
    .join(' ');
}
