// Words that negate the rest of their clause; `t` is the remainder of don't. Those before the bar
// deny, those after it only lessen.
const NEGATORS: ReadonlyMap<string, Negators> = new Map(
  Object.entries({
    da: 'ikke ej ingen intet ingenting aldrig uden næppe hverken | lidt mindre færre mangler mangel',
    de: 'nicht kein keine keinen keinem keiner keines nie niemals ohne kaum nichts nix niemand niemanden niemandem null weder ned net nimmer keineswegs keinesfalls keinerlei | wenig weniger',
    en: 'not no never t dont doesnt didnt cant isnt wasnt arent wont couldnt cannot without hardly nothing nobody none neither nor zero | lack lacks lacking less few little',
    es: 'no nunca jamas sin ningun ninguna ninguno nada nadie tampoco ni apenas cero | poco poca menos falta',
    fr: 'ne n pas jamais sans aucun aucune rien personne ni guere zero | peu moins manque',
    nl: 'niet geen nooit zonder nauwelijks niets niks niemand noch nul | weinig minder gebrek',
    pt: 'nao nunca jamais sem nenhum nenhuma nada ninguem tampouco nem | pouco pouca menos falta faltam',
    sv: 'inte ej ingen inga inget ingenting aldrig utan knappast varken | lite mindre farre saknar brist',
  }).map(([language, words]) => [language, negators(words)]),
);

interface Negators {
  readonly all: ReadonlySet<string>;
  readonly deniers: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export const negatorsOf = (language: string): ReadonlySet<string> => NEGATORS.get(language)?.all ?? NONE;

export const deniersOf = (language: string): ReadonlySet<string> => NEGATORS.get(language)?.deniers ?? NONE;

function negators(words: string): Negators {
  const [denying = '', lessening = ''] = words.split(' | ');
  return { all: new Set([...denying.split(' '), ...lessening.split(' ')]), deniers: new Set(denying.split(' ')) };
}
