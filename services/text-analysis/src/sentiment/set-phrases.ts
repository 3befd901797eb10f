import { fold } from '@survey/text/words/fold.ts';
import type { Word } from '@survey/text/words/read-words.ts';
import { deniersOf } from './negation.ts';
import { opinionWordsOf } from './opinion-words.ts';
import { subjectsOf } from './subjects.ts';

/** Words of a clause that mean something else together than each of them does. */
export interface SetPhrase {
  // Word indexes; the end is exclusive.
  readonly start: number;
  readonly end: number;
  // 0 for neither praise nor criticism: `so so`.
  readonly leaning: 1 | 0 | -1;
}

interface Idiom {
  readonly words: readonly string[];
  readonly leaning: SetPhrase['leaning'];
}

interface Idioms {
  // Between a negation and what it denies: `not [bad at] all`.
  readonly fillers: ReadonlySet<string>;
  // What praises when it is denied, in addition to words of criticism: `nothing to [complain]`.
  readonly complaints: ReadonlySet<string>;
  // By their first word, the longest first.
  readonly phrases: ReadonlyMap<string, readonly Idiom[]>;
}

const IDIOMS: ReadonlyMap<string, Idioms> = new Map(
  Object.entries({
    en: {
      fillers: `at all so that too really very a an any the to much real major big one can i we about be been is was are even remotely half have had found find seen
        single ever reason for say`,
      complaints: `bad wrong fault faults complain complained complaining complaint complaints criticise criticize criticism issue issues problem problems objection objections
        downside downsides negative negatives regret regrets trouble troubles shabby quarrel gripe gripes`,
      praise: `couldn t be happier, could not be happier, can t be happier, couldn t ask for better, couldn t ask for more,
        could not ask for more, can t ask for more, can t fault, cannot fault, hard to fault, wouldn t change a thing, would not change a thing, wouldn t change anything,
        would not change anything, wouldn t want to miss, wouldn t trade, would not trade, could be worse, doesn t get better,
        doesn t get any better, never been better, hard to beat, nothing but praise, nothing but good things, leaves nothing to be desired, leave nothing to be desired, nothing to improve,
        second to none, never lets us down, never let us down, never lets me down, never let me down, never disappoints, never disappointed, does not disappoint, doesn t disappoint,
        not to be sneezed at,
        has my back, have my back, has our back, has our backs, have our backs, would miss, d miss, walks the talk, leads by example, lead by example,
        a breath of fresh air, above and beyond, sticks up for us, stands up for us, stands by us, stand by us, stands behind us, makes time for,
        finally manageable, finally works, manageable, on point, to die for, get on well, gets on well, get along well, gets along well, don t mind, do not mind,
        not want to miss, couldn t ask for a better, could not ask for a better, can t ask for a better, couldn t wish for a better, hard to find anything wrong,
        do the job, does the job, above average`,
      criticism: `leaves a lot to be desired, leave a lot to be desired, leaves much to be desired, leave much to be desired, leaves something to be desired, could be better,
        could be a lot better, could be much better, could do better, room for improvement, nothing to write home about, nothing good, no good, not up to scratch, not up to standard, too good to be true, not only bad,
        is a joke, are a joke, bad joke, under the bus, killing us, killing me, through the roof, takes credit for, take credit for, took credit for,
        takes the credit, lip service, nobody listens, no one listens, burning out, burns us out, burning us out, breaking point, turns a blind eye,
        turn a blind eye, get away with, gets away with, swept under the rug, under the carpet, i wish the, i wish there, i wish we, i wish i, i wish they, we wish the, we wish there, we wish they,
        out of control, below average, filthy, vile, stinks, stink, again and again`,
    },
    de: {
      fillers: `gar so ein eine einen war waren noch gewesen ganz wirklich zu etwas viel man mich uns sich daran dran da ich wir mal allzu sonderlich unbedingt grossen grosser grosse grund zum zur was an dem der die das
        uber gegen ernsthaft ernsthaften einzigen einzige nennenswerten nennenswerte wahrlich also irgendwie echt`,
      complaints: `schlecht schlechte schlechtes schlechter schlechten ubel ubles verkehrt falsch falsches meckern gemecker beschweren beschwerde beschwerden klagen klage beklagen
        auszusetzen aussetzen beanstanden bemangeln kritisieren kritik problem probleme jammern mosern norgeln motzen bereuen negatives nachteil nachteile ohne vorzuwerfen
        auszustehen lumpen`,
      praise: `besser geht es nicht, besser geht s nicht, geht nicht besser, geht es nicht besser, nicht zu toppen, kaum zu toppen,
        mochte ich nicht missen, nicht missen, lasst nichts zu wunschen ubrig, lassen nichts zu wunschen ubrig, keine wunsche offen, da gibt s nichts, nichts dagegen zu sagen,
        nichts gegen zu sagen, kann man nichts sagen, konnte schlimmer sein, wurde nichts andern, nichts zu verbessern, nicht von schlechten eltern, immer verlass auf, nie enttauscht,
        steht hinter uns, stehen hinter uns, steht hinter mir, den rucken frei, starkt uns den rucken, starken uns den rucken, starkt mir den rucken,
        offenes ohr, immer fur uns da, immer fur mich da, gutem beispiel voran, auf augenhohe, wurde ich vermissen, wurden mir fehlen,
        wurde mir fehlen, hat sich verbessert,
        haben sich verbessert, ist besser geworden, sind besser geworden, kann man sich nicht wunschen, ist verlass, machbar`,
      criticism: `lasst zu wunschen ubrig, lassen zu wunschen ubrig, viel zu wunschen ubrig, konnte besser sein, luft nach oben, ausbaufahig, verbesserungswurdig, nichts gutes,
        ist ein witz, sind ein witz, schlechter witz, kommt nichts, passiert nichts, tut sich nichts, andert sich nichts, hort nicht zu,
        horen nicht zu, hort nie zu, horen nie zu, unter aller sau, unter aller kanone, im stich, im regen stehen, auf dem zahnfleisch,
        auf die nerven, taube ohren, am limit, nur auf dem papier, lippenbekenntnis, lippenbekenntnisse, unter den teppich, von oben herab,
        zum davonlaufen, zum weglaufen, aus dem ruder, einbahnstrasse,
        hat sich verschlechtert, haben sich verschlechtert, ist schlechter geworden, sind schlechter geworden`,
    },
    es: {
      fillers: `tan nada que muy tengo tiene tenemos me nos puedo puede podemos se esta estan estuvo es son era fue hay ningun ninguna para de lo en absoluto una un demasiado nunca he
        hemos tenido`,
      complaints: `mal malo mala malos malas quejar quejarme quejarnos quejarse quejo quejamos queja quejas reprochar reproche reproches objetar objecion criticar critica criticas
        problema problemas pega pegas pero peros inconveniente inconvenientes disgusta desagrada`,
      praise: `no se puede pedir mas, no puedo pedir mas, no pido mas, no deja nada que desear, no dejan nada que desear,
        no cambiaria nada, inmejorable, insuperable, podria ser peor, nunca defrauda, no defrauda, no hay nada que mejorar,
        nunca nos falla, nunca nos fallan, nunca falla, merecio la pena, merece la pena, siempre nos apoya, siempre nos apoyan, nos respalda, nos respaldan, da la cara por nosotros, predica con el ejemplo, echaria de menos, ha mejorado, han mejorado`,
      criticism: `deja mucho que desear, dejan mucho que desear, deja que desear, dejan que desear, deja bastante que desear, podria ser mejor, podria mejorar,
        nada bueno, mejorable, margen de mejora,
        es una broma, es un chiste, no escucha, no escuchan, no nos escucha, no nos escuchan, nunca escucha, nunca escuchan, oidos sordos,
        nada cambia, no cambia nada, de mal en peor, hasta las narices, brilla por su ausencia, brillan por su ausencia, ha empeorado, han empeorado`,
    },
    fr: {
      fillers: `si ete du tout vraiment a me m se nous vous grand chose de d trop tres y aucune aucun raison peux peut pouvons on plus la le les un une quoi que ce soit en ai avons`,
      complaints: `mal mauvais mauvaise plaindre plains plaint plainte plaintes redire dire reprocher reproche reproches critiquer critique critiques probleme problemes deplorer
        degueu degueulasse regretter regret regrets negatif objecter inconvenient inconvenients`,
      praise: `peut pas mieux, ne peut mieux, peut mieux, pas mieux, rien a envier, laisse rien a desirer, laissent rien a desirer,
        ne changerais rien, rien a changer, rien a ameliorer, pourrait etre pire, jamais decu, jamais decue, ne decoit jamais, ne decoit pas, pas de souci, aucun souci,
        toujours la pour nous, toujours la pour moi, me manquerait, me manqueraient, a l ecoute, nous soutient, nous soutiennent, montre l exemple,
        au top, laisse jamais tomber, ne peut pas rever, on peut pas rever, valait le coup, vaut le coup, mieux qu avant, mieux qu ailleurs, s est ameliore, s est amelioree`,
      criticism: `laisse a desirer, laissent a desirer, laisse vraiment a desirer, laisse beaucoup a desirer, peut mieux faire, pourrait etre mieux, pourrait mieux faire,
        rien de bon, rien de bien, a ameliorer, pas top, pas terrible, pas fameux, pas folichon, pas jojo, bof,
        est une blague, mauvaise blague, n ecoute pas, n ecoutent pas, n ecoute personne, ne m ecoute pas, ne nous ecoute pas, sourde oreille,
        ras le bol, nous laisse tomber, rien ne change, rien ne bouge, rien n avance, bout du rouleau, de pire en pire, sous le tapis, s est degrade, s est degradee, s est deteriore, s est deterioree`,
    },
    nl: {
      fillers: `een zo heel echt helemaal te over op aan mee mij me ik we er zo n iets veel al mag mogen kan kunnen eens bepaald enkele enkel reden om valt`,
      complaints: `slecht slechts slechte verkeerd verkeerds mis klagen klacht klachten merken aanmerken aanmerking aanmerkingen probleem problemen mopperen zeuren kritiek
        bekritiseren spijt negatiefs nadelen gek nadeel`,
      praise: `laat niets te wensen over, laten niets te wensen over, laat niks te wensen over,
        zou niets veranderen, zou niks veranderen, kan slechter, kon slechter, had slechter gekund, niet te missen, niet willen missen, stelt nooit teleur, stelt niet teleur,
        nooit teleurgesteld, niets te verbeteren, niks te verbeteren,
        staat achter ons, staan achter ons, staat achter mij, staat voor ons klaar, staan voor ons klaar, altijd klaar voor, luisterend oor,
        het goede voorbeeld, helemaal niet erg, kun je je niet wensen, kun je niet wensen, zou ik missen, is verbeterd, is beter geworden`,
      criticism: `laat te wensen over, laten te wensen over, laat veel te wensen over, kan beter, kon beter, zou beter kunnen, niet om over naar huis te schrijven,
        niets goeds, voor verbetering vatbaar, valt tegen, vallen tegen,
        is een grap, is een lachertje, luistert niet, luisteren niet, luistert nooit, luisteren nooit, in de steek, verandert niets, verandert niks,
        gebeurt niets, gebeurt niks, aan het lijntje, dovemansoren, de spuigaten uit, onder het tapijt, alleen op papier, is verslechterd, is slechter geworden`,
    },
    pt: {
      fillers: `tao nada que muito tenho me nos posso pode se esta estao e sao foi ha nenhum nenhuma para de o a um uma`,
      complaints: `mal mau ma queixar queixa queixas reclamar reclamacao reclamacoes problema problemas criticar apontar`,
      praise: 'nao podia ser melhor, nao poderia ser melhor, nao deixa nada a desejar',
      criticism: 'deixa a desejar, deixa muito a desejar, podia ser melhor, poderia ser melhor, nada de bom',
    },
    da: {
      fillers: `sa helt at pa noget overhovedet jeg vi kan er mig`,
      complaints: `darlig darligt darlige vaerst tosset klage klager brokke problem problemer udsaette galt`,
      praise: 'kunne ikke vaere bedre, kan ikke blive bedre, lader intet tilbage at onske',
      criticism: 'lader meget tilbage at onske, kunne vaere bedre, intet godt',
    },
    sv: {
      fillers: `sa helt att pa nagot alls jag vi kan ar mig over`,
      complaints: `dalig daligt daliga klaga klagomal problem fel illa dumt invandning invandningar`,
      praise: 'kunde inte vara battre, kan inte bli battre, lamnar inget ovrigt att onska',
      criticism: 'lamnar mycket ovrigt att onska, kunde vara battre, inget bra',
    },
  }).map(([language, { fillers, complaints, praise, criticism }]) => [
    language,
    {
      fillers: wordSet(fillers),
      complaints: wordSet(complaints),
      phrases: byFirstWord([...idioms(praise, 1), ...idioms(criticism, -1)]),
    },
  ]),
);

// Other negations also deny what is wanted: `no overtime pay` is not praise.
const BEFORE_ADJECTIVES = wordSet(
  'not t never isnt wasnt arent nothing nicht nie niemals nichts nix pas jamais no nunca nada tampoco niet nooit niets niks nao ikke aldrig inte',
);
// At the end of a clause: `on average` says nothing.
const MIDDLING = byFirstWord(
  idioms(
    `so so, average, middling, half half, fifty fifty, mittelmassig, durchschnittlich, mittelprachtig, durchwachsen, so lala, geht so, teils teils, moyen, moyens, moyennes, mitige,
    comme ci comme ca, sans plus, regular, regulares, asi asi, ni fu ni fa, mas o menos, gemiddeld, gaat wel, zo zo, mais ou menos, assim assim, sa som sa, sa dar`,
    0,
  ),
);
const OR = wordSet('or nor neither noch weder oder ni ou o of en niet noch nem eller och og ikke inte');
// They deny what follows at once, praise too.
const OPPOSITES = byFirstWord(
  idioms(
    'far from, anything but, alles andere als, weit davon entfernt, loin d etre, loin de, tout sauf, lejos de, todo menos, cualquier cosa menos, verre van, allesbehalve, alles behalve, lang niet',
    -1,
  ),
);
// What cannot be better is as good as it gets: `could hardly be better`, `kan nauwelijks slechter`.
const BEST = wordSet('better besser mieux meilleur meilleure meilleurs meilleures mejor mejores beter');
const WORST = wordSet('worse schlechter schlimmer pire pires peor peores slechter erger');
const MODALS = wordSet(
  'could can couldn konnte konnten kann konnen pourrait pourraient peut podria podrian puede pueden kan kon kunnen zou',
);
const SCARCELY = wordSet('hardly scarcely barely kaum guere difficilement apenas dificilmente nauwelijks amper');
const TO_BE = wordSet('be been sein werden etre ser estar zijn worden');
const IN_LIMIT = wordSet('get any much it es das die der wirklich fast bijna haast echt la le les se');
const LONGEST_LIMIT = 8;
const LESS = wordSet('less fewer weniger moins menos minder mindre faerre farre');
// Of which less is better, if it is so already: `less noise` alone may be a wish.
const BURDENS = wordSet(
  `noise overtime bureaucracy paperwork pressure waiting conflicts chaos errors mistakes delays interruptions queues gossip lärm krach überstunden bürokratie papierkram druck
  wartezeit wartezeiten konflikte streit hektik stress fehler verzögerungen unterbrechungen bruit bureaucratie paperasse pression attente conflits erreurs retards ruido burocracia papeleo
  presión esperas conflictos errores retrasos caos estrés lawaai overuren papierwerk druk werkdruk wachttijd wachttijden conflicten fouten vertragingen`,
);
const ALREADY = wordSet(
  'since now than today seit seitdem jetzt nun als heute depuis maintenant que qu aujourd desde ahora hoy sinds nu dan vandaag',
);
// Words of a denied complaint.
const LONGEST = 9;
const LONGEST_PAIR = 7;
// `pas mal de problèmes` counts.
const COUNTING = wordSet('de d');

/** Finds idioms, and denied complaints such as `not bad at all` and `nichts zu meckern`. */
export function setPhrases(
  words: readonly Word[],
  { start, end }: { readonly start: number; readonly end: number },
  language: string,
): readonly SetPhrase[] {
  const idioms = IDIOMS.get(language);
  const matches: SetPhrase[] = [];
  if (idioms === undefined) return matches;
  for (let at = start; at < end; at += 1) {
    const phrase =
      limitAt(words, at, end, language) ??
      pairAt(words, at, end, language) ??
      denied(words, start, language, idiomAt(words, at, end, idioms.phrases)) ??
      oppositeAt(words, at, end, language) ??
      deniedComplaintAt(words, at, end, language, idioms);
    if (phrase === undefined) continue;
    matches.push(phrase);
    at = phrase.end - 1;
  }
  return matches;
}

function idiomAt(words: readonly Word[], start: number, end: number, known: Idioms['phrases']): SetPhrase | undefined {
  const idiom = known.get(words[start]?.folded ?? '')?.find((one) => isAt(words, start, end, one.words));
  return idiom && { start, end: start + idiom.words.length, leaning: idiom.leaning };
}

// A modal verb, a denial and a comparative, in any order; only German begins with the comparative.
function limitAt(words: readonly Word[], start: number, end: number, language: string): SetPhrase | undefined {
  const { empty, stems } = subjectsOf(language);
  let [isDenied, hasModal, isBeing, leaning]: [boolean, boolean, boolean, 1 | -1 | undefined] = [false, false, false, undefined];
  for (let at = start; at < Math.min(end, start + LONGEST_LIMIT); at += 1) {
    const word = words[at]?.folded ?? '';
    const denies = deniersOf(language).has(word) || SCARCELY.has(word);
    const degree = BEST.has(word) ? 1 : WORST.has(word) ? -1 : undefined;
    const isPart = denies || MODALS.has(word) || degree !== undefined;
    if (at === start ? !isPart || (degree !== undefined && language !== 'de') : !isPart && !isBetween(words[at], stems)) break;
    isDenied ||= denies;
    hasModal ||= MODALS.has(word);
    isBeing ||= TO_BE.has(word);
    leaning ??= degree;
    // `could not be better organised` is praise, `cannot get better tools` is not.
    if (isDenied && hasModal && leaning !== undefined)
      return isBeing || isLast(words, at, end, empty) || TO_BE.has(words[at + 1]?.folded ?? '')
        ? { start, end: at + 1, leaning }
        : undefined;
  }
  return undefined;
}

const isBetween = (word: Word | undefined, stems: ReadonlySet<string>): boolean =>
  word !== undefined && (TO_BE.has(word.folded) || IN_LIMIT.has(word.folded) || stems.has(word.stem));

// `neither good nor bad`, which is middling, `neither friendly nor fair`, which is criticism, and a
// middling phrase at the end.
function pairAt(words: readonly Word[], start: number, end: number, language: string): SetPhrase | undefined {
  const phrase = idiomAt(words, start, end, MIDDLING);
  if (phrase?.end === end) return phrase;
  if (!deniersOf(language).has(words[start]?.folded ?? '')) return undefined;
  const { praise, criticism } = opinionWordsOf(language);
  let [first, isJoined]: [boolean | undefined, boolean] = [undefined, false];
  for (let at = start + 1; at < Math.min(end, start + LONGEST_PAIR); at += 1) {
    const word = words[at]?.folded ?? '';
    isJoined ||= first !== undefined && OR.has(word);
    if (!praise.has(word) && !criticism.has(word)) continue;
    const isPraise = praise.has(word);
    if (isJoined) return { start, end: at + 1, leaning: isPraise !== first ? 0 : isPraise ? -1 : 1 };
    if (first !== undefined && first !== isPraise) return undefined;
    first = isPraise;
  }
  return undefined;
}

// An idiom behind a denial says the opposite: `lässt uns nie im Stich`.
function denied(words: readonly Word[], start: number, language: string, idiom: SetPhrase | undefined): SetPhrase | undefined {
  if (idiom === undefined || idiom.leaning === 0) return idiom;
  const before = idiom.start - 1;
  if (before < start || !deniersOf(language).has(words[before]?.folded ?? '')) return idiom;
  return { start: before, end: idiom.end, leaning: idiom.leaning === 1 ? -1 : 1 };
}

const isAt = (words: readonly Word[], start: number, end: number, phrase: readonly string[]): boolean =>
  start + phrase.length <= end && phrase.every((part, offset) => words[start + offset]?.folded === part);

// At most one word between: `far from being bad`.
function oppositeAt(words: readonly Word[], start: number, end: number, language: string): SetPhrase | undefined {
  const opposite = idiomAt(words, start, end, OPPOSITES);
  if (opposite === undefined) return undefined;
  const { praise, criticism } = opinionWordsOf(language);
  for (let at = opposite.end; at < Math.min(end, opposite.end + 2); at += 1) {
    const word = words[at]?.folded ?? '';
    if (criticism.has(word)) return { start, end: at + 1, leaning: 1 };
    if (praise.has(word)) return { start, end: at + 1, leaning: -1 };
  }
  return undefined;
}

function deniedComplaintAt(
  words: readonly Word[],
  start: number,
  end: number,
  language: string,
  { fillers, complaints }: Idioms,
): SetPhrase | undefined {
  const denier = words[start]?.folded ?? '';
  if (!deniersOf(language).has(denier) && !LESS.has(denier)) return undefined;
  const { criticism } = opinionWordsOf(language);
  const { empty, stems } = subjectsOf(language);
  for (let at = start + 1; at < Math.min(end, start + LONGEST); at += 1) {
    const word = words[at]?.folded ?? '';
    // `no stress` is praise, `no overtime pay` is not.
    const isComplaint =
      complaints.has(word) ||
      (criticism.has(word) && (BEFORE_ADJECTIVES.has(denier) || isLast(words, at, end, empty))) ||
      (LESS.has(denier) && (criticism.has(word) || BURDENS.has(word)) && ALREADY.has(words[at + 1]?.folded ?? ''));
    if (isComplaint && !(language === 'fr' && word === 'mal' && COUNTING.has(words[at + 1]?.folded ?? '')))
      return { start, end: at + 1, leaning: 1 };
    if (!fillers.has(word) && !deniersOf(language).has(word) && !stems.has(words[at]?.stem ?? '')) return undefined;
  }
  return undefined;
}

function isLast(words: readonly Word[], at: number, end: number, empty: ReadonlySet<string>): boolean {
  const next = at + 1 < end ? words[at + 1] : undefined;
  return next === undefined || empty.has(next.folded);
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(fold(words).split(/\s+/u));
}

function idioms(list: string, leaning: Idiom['leaning']): readonly Idiom[] {
  return list.split(/\s*,\s*/u).map((phrase) => ({ words: phrase.split(' '), leaning }));
}

function byFirstWord(all: readonly Idiom[]): ReadonlyMap<string, readonly Idiom[]> {
  return Map.groupBy(
    [...all].sort((a, b) => b.words.length - a.words.length),
    ({ words }) => words[0] ?? '',
  );
}
