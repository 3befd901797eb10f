import type { Word } from '@survey/text/words/read-words.ts';

interface PastWords {
  // Enough alone: `used to be great`.
  readonly phrases: RegExp;
  // Words that mean an earlier time only next to a verb in the past: `was great before`.
  readonly formerly: RegExp;
  readonly verbs: RegExp;
  // What has replaced it: `now it is good`, `has become better`.
  readonly now: RegExp;
}

// Matched on the folded words of a clause. What is compared with the past is about now: `besser als
// früher`.
const PAST: ReadonlyMap<string, PastWords> = new Map(
  Object.entries({
    en: {
      phrases:
        /(?<!\b(?:am|are|is|be|been|being|get|got|getting|was|were|m|re|s) )\bused to\b|\bonce (?:was|were)\b|\bbetter last (?:year|time)\b/u,
      formerly:
        /(?<!\b(?:than|as|like) )(?<!\b(?:than|as|like) \w+ )\b(?:before|previously|formerly|in the past|(?<!\b(?:not|never) )once|back then|originally|when i (?:started|joined)|initially|until|years? ago|in the old days|at first|at the beginning|in the beginning|predecessors?|(?:my|our|the) (?:old|former|previous|last) \w+|under (?:my|our|the) (?:old|former|previous|last))\b/u,
      verbs: /\b(?:was|were|had|worked|felt|got|gave|went|came|ran|took|paid|listened|seemed|liked|loved|enjoyed|been)\b/u,
      now: /\b(?:now|nowadays|these days|today|since (?:the|we|our|this|last)|this one|the new one|(?:got|gotten|became|getting) (?:\w+ )?(?:better|worse)|(?:has|have|s|ve) become|(?:has|have|s|ve) (?:\w+ )?(?:improved|changed|worsened|turned around|been (?:\w+ )?(?:fixed|sorted|solved|repaired|replaced)))\b/u,
    },
    de: {
      phrases: /\b(?:war|waren|hatten?|gab es) (?:ein)?mal\b|\bfruher mal\b|\bletzt\w+ \w+ (?:viel )?besser\b/u,
      formerly:
        /(?<!\b(?:als|wie) )\b(?:fruher|damals|ehemals|einst|vorher|zuvor|anfangs|am anfang|bis|bevor|in der vergangenheit|vor (?:\w+ )?jahren|vor (?:corona|covid|der (?:fusion|ubernahme|umstellung|einfuhrung)|dem (?:umbau|umzug|verkauf|wechsel|update))|ursprunglich|vorganger\w*|(?:mein|unser|das|der|die|mit|unter|beim)\w* (?:(?:de[mnr]|mein\w*|unser\w*) )?(?:alte|fruhere|vorige|letzte|vorherige|ehemalige)[mnrs]?)\b/u,
      verbs:
        /\b(?:war|waren|gab|hatte|hatten|lief|liefen|machte|funktionierte|ging|fuhlte|hat|habe|haben|gewesen|klappte|bekam|bekamen|konnte|konnten|durfte|durften|machten|gingen|(?:hor|arbeite|verdien|zahl|kummer|funktionier|klapp)ten?|half|halfen|kam|kamen|sprach|sprachen|wurden?)\b/u,
      now: /\b(?:jetzt|nun|heute|heutzutage|inzwischen|mittlerweile|seitdem|seit (?:dem|der|diese\w*|letzte\w*)|jetzige\w*|neue|(?:besser|schlechter|schlimmer) geworden|(?:verbessert|verschlechtert|geandert|behoben|gelost))\b/u,
    },
    es: {
      phrases: /\bsolian? (?:ser|estar|haber|tener)\b|\bmejor(?:es)? el \w+ pasado\b/u,
      formerly:
        /(?<!\bque )\b(?:antes|antiguamente|en el pasado|hasta|al principio|anteriormente|hace (?:\w+ )?anos|en su dia|antano|(?:mi|nuestr[oa]|el|la|con el|con la|con mi) (?:antigu[oa]|anterior|ex) \w+|(?:mi|el|la) \w+ (?:anterior|antigu[oa])|predecesora?)\b/u,
      verbs: /\b(?:era|eran|fue|estuvo|eramos|\w+(?:aba|aban|abamos|ia|ian|iamos))\b/u,
      now: /\b(?:ahora|ahorita|hoy|ya no|desde (?:el|la|que)|actualmente|hoy en dia|est[ea] es|el actual|la actual|el nuevo|la nueva|(?:ha|han) (?:mejorado|empeorado|cambiado|solucionado|arreglado)|esta mejor|va mejor)\b/u,
    },
    fr: {
      phrases:
        /\b(?:autrefois|jadis)\b|\b(?:mieux|meilleure?s?) l an(?:nee)? derni\w+|\bplus (?:aussi|du tout|tres|vraiment|si)\b/u,
      formerly:
        /(?<!\b(?:qu|que) )\b(?:avant|auparavant|par le passe|dans le passe|au debut|jusqu a|a l epoque|predecesseur|il y a (?:\w+ )?an(?:nee)?s|jadis|anciennement|(?:mon|ma|notre|l|la|le) (?:ancien|ancienne|precedent|precedente)|(?:mon|ma|notre|le|la) \w+ (?:precedent|precedente))\b/u,
      verbs: /\b(?:(?!mais\b|jamais\b)\w+(?:ais|ait|aient)|avions|etions|a ete|ont ete|fut)\b/u,
      now: /\b(?:maintenant|aujourd hui|depuis (?:l|la|le|cette|ce)|desormais|a present|actuellement|cel(?:ui|le) ci|le nouveau|la nouvelle|c est (?:regle|resolu)|va (?:beaucoup |bien )?mieux|(?:est|sont) devenue?s?|s (?:est|sont) (?:\w+ )?(?:amelior|degrad|deterior)\w+|a (?:bien |beaucoup )?change)\b/u,
    },
    nl: {
      phrases: /\bvorig\w* \w+ (?:veel )?beter\b/u,
      formerly:
        /(?<!\b(?:dan|als) )\b(?:vroeger|voorheen|(?<!\b(?:niemand|niets|nooit|nog|niet) (?:\w+ ){0,2})ooit|destijds|toen|in het verleden|eerst|eerder|totdat|tot|voordat|voorganger|(?:jaar|jaren) geleden|in het begin|aanvankelijk|voor (?:corona|covid|de (?:fusie|overname|verhuizing|reorganisatie|update|overstap|invoering))|(?:mijn|onze|ons|het|de|onder de|met de) (?:oude|vorige|vroegere))\b/u,
      verbs:
        /\b(?:was|waren|had|hadden|ging|liep|werkte|geweest|voelde|kreeg|kregen|kon|konden|mocht|mochten|deed|deden|hield|hielden|vond|vonden|werkten|(?:luister|functioneer|praat|verdien|regel|zorg|deel)(?:de|te)n?|hielp|hielpen|sprak|spraken|wist|wisten)\b/u,
      now: /\b(?:nu|tegenwoordig|vandaag|inmiddels|sinds (?:de|het|dit|deze)|ondertussen|dit is|deze is|de nieuwe|het nieuwe|huidige|(?:beter|slechter) geworden|verbeterd|verslechterd|veranderd|vooruitgegaan|opgelost)\b/u,
    },
    pt: {
      phrases: /\bcostumava(?:m)?\b/u,
      formerly: /(?<!\bque )\b(?:antes|antigamente|no passado|no inicio|ate que)\b/u,
      verbs: /\b(?:era|eram|estava|estavam|havia|tinha|tinham|foi)\b/u,
      now: /\b(?:agora|hoje|atualmente|melhorou|piorou)\b/u,
    },
    da: {
      phrases: /\bplejede at\b/u,
      formerly: /(?<!\bend )\b(?:for|tidligere|engang|forhen|dengang|i starten)\b/u,
      verbs: /\b(?:var|havde|gik|fungerede)\b/u,
      now: /\b(?:nu|i dag|blevet (?:bedre|vaerre))\b/u,
    },
    sv: {
      phrases: /\bbrukade\b/u,
      formerly: /(?<!\ban )\b(?:forr|tidigare|forut|en gang|da|i borjan)\b/u,
      verbs: /\b(?:var|hade|gick|fungerade)\b/u,
      now: /\b(?:nu|numera|idag|blivit (?:battre|samre))\b/u,
    },
  }),
);

// Words of a clause without a verb.
const SHORT = 3;

/** When the things were or are as a clause says; undefined where it does not say. */
export type Time = 'past' | 'now' | undefined;

/**
 * Returns the times of the clauses. Praise of the past is none today, and what is said about now
 * replaces what was before: `was poor, but has got better`.
 */
export function timesOf(
  words: readonly Word[],
  clauses: readonly { readonly start: number; readonly end: number }[],
  language: string,
): readonly Time[] {
  const past = PAST.get(language);
  if (past === undefined) return clauses.map(() => undefined);
  const said = clauses.map(({ start, end }) => foldedText(words, start, end));
  const isPast = clauses.map((clause, index) => isAboutPast(words, clause, said[index] ?? '', past));
  const isNow = said.map((text, index) => isPast[index] !== true && past.now.test(text));
  return said.map((text, index) => {
    if (isNow[index] === true) return 'now';
    const isReplaced = past.verbs.test(text) && [index - 1, index + 1, index + 2].some((near) => isNow[near] === true);
    return isPast[index] === true || isReplaced ? 'past' : undefined;
  });
}

function isAboutPast(
  words: readonly Word[],
  { start, end }: { readonly start: number; readonly end: number },
  said: string,
  past: PastWords,
): boolean {
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
