import { dan, deu, eng, fra, nld, por, spa, swe } from 'stopword';
import { fold } from '@survey/text/words/fold.ts';

// Words that nearly every answer about work contains, and that therefore show no topic.
const EVERYWHERE = `us work works working job jobs company companies employee employees people staff
  arbeit arbeiten job firma unternehmen betrieb mitarbeiter mitarbeitende mitarbeiterinnen leute menschen
  travail travailler emploi entreprise societe employe employes salarie salaries personnes gens
  trabajo trabajar empleo empresa empleado empleados trabajador trabajadores personas gente
  werk werken baan bedrijf organisatie medewerker medewerkers werknemer werknemers mensen
  trabalho trabalhar emprego empresas funcionario funcionarios trabalhadores colaborador colaboradores pessoas
  arbejde arbejder virksomhed firma medarbejder medarbejdere folk mennesker
  arbete arbetet arbeta jobb jobba foretag medarbetare personal manniskor`;

const EMPTY_WORDS = new Set([...[dan, deu, eng, fra, nld, por, spa, swe].flat().map(fold), ...EVERYWHERE.split(/\s+/u)]);
// An abbreviation that is an empty word in lower case.
const ABBREVIATION = 'IT';

const SEPARATOR = /[&/,;:+()|]|\s[-–—]\s|\s(?:and|und|et|y|e|en|og|och|or|oder|ou|o|eller|of)\s/iu;

/** Returns the parts of a name that show its topic: either word of "Health & balance". */
export function nameParts(name: string): readonly string[] {
  const parts = name.split(SEPARATOR).map((part) => part.trim());
  return parts.filter((part) => contentWords(part).length > 0);
}

/** Returns the words of a text that nearly every answer about work does not contain. */
export const contentWords = (text: string): readonly string[] => (text.match(/\p{L}[\p{L}\p{M}]+/gu) ?? []).filter(isContent);

/** Checks that a word is not in nearly every answer about work, so that it shows a topic. */
export const isContent = (word: string): boolean => word === ABBREVIATION || !EMPTY_WORDS.has(fold(word));
