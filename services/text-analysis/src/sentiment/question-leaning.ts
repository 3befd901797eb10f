import { LRUCache } from 'lru-cache';
import { fold } from '@survey/text/words/fold.ts';

export type Leaning = 'positive' | 'negative' | 'none';

// Phrases that show a question's leaning, in eight languages, without accents. Earlier phrases are
// removed before later ones are matched: `like least` is not `like`, and `would you like to change`
// asks for changes.
const CUES: readonly (readonly [Leaning, RegExp])[] = [
  [
    'none',
    /would (?:you|your team)? ?like|anything else|mochtest? du|mochten sie|souhaitez[- ]vous|aimeriez[- ]vous|te gustaria|le gustaria|zou je|zou u/gu,
  ],
  [
    'negative',
    /(?:like|enjoy|liked)(?: the)? (?:least|less)|(?:least|not|nicht|less) (?:like|enjoy|satisfied|gut|zufrieden|gefallt)|gefallt[^?]{0,40} nicht|aimez[^?]{0,30} (?:le )?moins|moins aimez|n'aimez|menos (?:te|le|les) gusta|no (?:te|le|les) gusta|minst|niet (?:goed|leuk|prettig)|doesn'?t work|not work(?:ing)?|not going well|nicht gut|ne va pas|va mal|no funciona/gu,
  ],
  [
    'negative',
    /\b(?:improv\w*|better|change[sd]?|changing|dislik\w*|frustrat\w*|worst|missing|miss|challeng\w*|concern\w*|worr(?:y|ies|ied)|weakness\w*|problem\w*|obstacle\w*|barrier\w*|stop doing|hinder\w*|prevent\w*|difficult\w*|issues?|complain\w*|leav(?:e|ing)|lack\w*|less of|negative\w*|cons|fix|verbess\w*|besser|ander[nt]\w*|stort|storen|fehlt|vermiss\w*|hindernis\w*|hinder[nt]|schwach\w*|schwierig\w*|sorgen|belast\w*|argert|negativ\w*|amelior\w*|mieux|chang(?:er|iez|ement)\w*|manque\w*|genent?|derang\w*|obstacles?|frein\w*|faiblesse\w*|difficultes?|inqui\w*|mejor(?:ar|as|aria|emos|ia)\w*|cambi(?:ar|arias?|os?)\w*|falta\w*|molesta\w*|obstaculos?|debilidad\w*|dificultad\w*|preocupa\w*|verbeter\w*|beter|verander\w*|stoort|storend|mis je|mist u|ontbreekt|belemmer\w*|zwak\w*|moeilijk\w*|zorgen|tegen aan|melhor(?:ar|aria|ias|em)\w*|mud(?:ar|aria|anca)\w*|incomod\w*|preocup\w*|forbedr\w*|bedre|ændre\w*|mangler|bekymr\w*|forbattr\w*|battre|forandra\w*|andra|saknar|oroar)\b/gu,
  ],
  [
    'positive',
    /\b(?:like|likes|liked|enjoy\w*|love|best|going well|went well|works? well|working well|well done|do(?:es|ing)? well|strengths?|appreciat\w*|proud|happy|positive\w*|keep|great|good at|pros|value most|motivates?|gefallt|gefallen|gut|schatz\w*|starken|positiv\w*|stolz|beibehalten|freut|freude|spass|zufrieden|lob|aimez|aime|plait|apprecie\w*|points forts|forces|fiere?|bien|satisfai\w*|positifs?|gusta|gustan|mejor de|lo mejor|fortalezas|puntos fuertes|orgullos\w*|valoras?|funciona bien|va bien|positiv[oa]s?|goed|leuk|bevalt|waarde[er]\w*|sterk\w*|trots|behouden|fijn|prettig|gostas?|agrada|melhor do|o melhor|kan lide|godt|bedst|fungerer godt|stolt af|gillar|bra|bast|uppskatta\w*|trivs)\b/gu,
  ],
];

const MAX_QUESTION = 500;
const leanings = new LRUCache<string, Leaning>({ max: 1_000 });

/**
 * Returns whether a question asks for positive ("What do you like…") or negative ("What should we
 * improve…") points; `none` for both or neither.
 */
export function questionLeaning(question: string): Leaning {
  const before = leanings.get(question);
  if (before !== undefined) return before;
  let text = fold(question.slice(0, MAX_QUESTION)).replaceAll('’', "'");
  const leaningsAsked = new Set<Leaning>();
  for (const [leaning, cue] of CUES) {
    const rest = text.replace(cue, ' ');
    if (rest !== text && leaning !== 'none') leaningsAsked.add(leaning);
    text = rest;
  }
  const [only, ...others] = leaningsAsked;
  const leaning = only === undefined || others.length > 0 ? 'none' : only;
  leanings.set(question, leaning);
  return leaning;
}
