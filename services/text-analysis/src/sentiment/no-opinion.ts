// A letter that no answer contains: `readWords` reads it as a word.
export const NO_OPINION = 'ꙮ';
export const UNSURE = 'ꙭ';

// Both are written without a word about the topic, in any language.
const NOT_APPLICABLE =
  /(?<![\p{L}\p{N}])(?:n\s?\/\s?[acdr]|n\.\s?[ad]\.?|n\.?v\.?t|s\s?\/\s?[oc]|n\.?s\.?p|ns\s?\/\s?n[cr]|not applicable|(?:does\s?n['’o]t|doesnt|does not|do not|don['’]t) (?:apply|concern)(?: to)?(?: me| us)?|(?:no|without|don['’]t have an?|don['’]t have any|do not have an?|do not have any|have no|have not got an?) (?:real |strong |particular |personal )?(?:opinions?|comments?|views?|feelings|answer|preference)|nothing to (?:say|add)|keine?n? (?:angaben?|meinung|antwort|kommentare?|aussage|bewertung|bezug)|ohne (?:angaben?|meinung)|nicht zutreffend|trifft (?:auf mich )?nicht zu|entfällt|betrifft mich nicht|nicht (?:zu )?(?:beurteilen|bewerten)|sans (?:opinion|avis|objet|commentaires?|réponse)|(?:pas|aucune?|point) (?:d['’]\s?|de )?(?:opinion|avis|commentaires?|réponse)(?: particuli\p{L}+)?|non (?:applicable|concerné\p{L}*)|pas concerné\p{L}*|(?:ne )?me concerne pas|(?:ne )?se prononce pas|sin (?:opinión|opinion|comentarios?|respuesta)|(?:no tengo|ninguna|sin) (?:una |ninguna )?(?:opinión|opinion|comentarios?)|no (?:aplica|procede|opino|corresponde)|geen (?:mening|commentaar|antwoord|opmerkingen|oordeel)|niet van toepassing|sem (?:opinião|comentários?)|não (?:se aplica|tenho opinião)|ingen (?:mening|åsikt|kommentar\p{L}*|holdning)|ikke relevant|ej (?:relevant|tillämpligt))(?![\p{L}\p{N}])\.?/giu;
// Abbreviations that are words in lower case, such as the Dutch `na`.
const ABBREVIATED = /(?<![\p{L}\p{N}])(?:N\.?A|R\.?A\.?S|[kK]\.?\s?A)(?![\p{L}\p{N}])\.?/gu;
const NOT_SURE =
  /(?<![\p{L}\p{N}])(?:(?:do not|don['’]t|dont|can['’]t|cannot|can not|couldn['’]t) (?:really )?(?:know|say|judge|tell|comment)(?: anything| much)?(?: about| on)?|not sure|no idea|idk|dunno|(?:ich )?wei(?:ß|ss) (?:ich |es )?nicht|keine ahnung|kann ich (?:dazu )?nichts sagen|kann ich nicht (?:sagen|einschätzen)|(?:je )?(?:ne |n['’])?sais pas|(?:ne )?peux pas (?:en |me |l['’])?(?:juger|dire|prononcer|évaluer)|aucune idée|pas d['’]idée|no (?:lo )?s[ée]|no puedo (?:opinar|valorar|juzgar|decir nada|evaluar)|ni idea|ninguna idea|weet (?:ik )?(?:het )?niet|kan ik (?:niets|niks) (?:over )?zeggen|geen idee|não sei|ved (?:det )?ikke|vet (?:ej|inte))(?![\p{L}\p{N}])/giu;

/** Replaces statements that there is no opinion by one word each: NO_OPINION or UNSURE. */
export function markNoOpinion(text: string): string {
  return text.replace(ABBREVIATED, ` ${NO_OPINION} `).replace(NOT_APPLICABLE, ` ${NO_OPINION} `).replace(NOT_SURE, ` ${UNSURE} `);
}
