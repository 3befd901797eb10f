import * as fc from 'fast-check';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TopicView } from '../topics/categoriser.ts';
import { starterTopics } from '../topics/starter-topics.ts';
import { createEmbeddedScorer } from './embedded-scorer.ts';
import { loadSentimentModels } from './sentiment-models.ts';

const scorer = createEmbeddedScorer(await loadSentimentModels());
const topics = new Map<string, TopicView>(starterTopics('en').map((topic, topicId) => [topic.name, { ...topic, topicId }]));

async function label(language: string, text: string, topicName = 'Team and colleagues', question?: string) {
  const topic = topics.get(topicName);
  if (topic === undefined) throw new Error(`there is no starter topic ${topicName}`);
  return (await scorer.score({ text, language, question, topic })).label;
}

describe('the embedded scorer', () => {
  it.each([
    ['en', 'My colleagues are wonderful, but the pay is really bad.', 'Team and colleagues', 'Pay and benefits'],
    ['de', 'Meine Kollegen sind großartig, aber die Bezahlung ist wirklich schlecht.', 'Team and colleagues', 'Pay and benefits'],
    ['fr', 'Mes collègues sont formidables, mais le salaire est vraiment mauvais.', 'Team and colleagues', 'Pay and benefits'],
    ['es', 'Mis compañeros son maravillosos, pero el sueldo es realmente malo.', 'Team and colleagues', 'Pay and benefits'],
    ['nl', "Mijn collega's zijn geweldig, maar het salaris is echt slecht.", 'Team and colleagues', 'Pay and benefits'],
  ])('%s: scores each topic of a mixed answer separately', async (language, text, good, bad) => {
    expect([await label(language, text, good), await label(language, text, bad)]).toEqual(['positive', 'negative']);
  });

  it.each([
    ['en', 'We are paid'],
    ['de', 'Das Team'],
    ['fr', "L'équipe"],
    ['es', 'El equipo'],
    ['nl', 'Het team'],
    ['pt', 'A equipa'],
    ['da', 'Teamet'],
    ['sv', 'Teamet'],
  ])('%s: scores a bare "%s" by the leaning of the question', async (language, text) => {
    expect(await label(language, text, 'Team and colleagues', 'What do you like most about working here?')).toBe('positive');
    expect(await label(language, text, 'Team and colleagues', 'Was sollten wir verbessern?')).toBe('negative');
  });

  it.each([
    ['pt', 'Os colegas são muito simpáticos', 'O salário é péssimo', 'Trabalho no armazém'],
    ['da', 'Mine kolleger er meget venlige', 'Lønnen er elendig', 'Jeg arbejder på lageret'],
    ['sv', 'Mina kollegor är mycket trevliga', 'Lönen är usel', 'Jag arbetar på lagret'],
  ])('%s: tells praise, blame and facts apart', async (language, good, bad, fact) => {
    expect([await label(language, good), await label(language, bad), await label(language, fact)]).toEqual([
      'positive',
      'negative',
      'neutral',
    ]);
  });

  it('lets strong words override the question', async () => {
    expect(
      await label(
        'en',
        'Nothing, the team is toxic and my colleagues are rude and incompetent',
        'Team and colleagues',
        'What do you like about your team?',
      ),
    ).toBe('negative');
  });

  it('ignores the question for a bare `nothing`', async () => {
    expect(await label('en', 'Nothing', 'Team and colleagues', 'What should we improve?')).not.toBe('negative');
    expect(await label('de', 'Gar nichts', 'Team and colleagues', 'Was gefällt Ihnen?')).not.toBe('positive');
  });

  it('returns no label without evidence: no known word or language', async () => {
    expect(await label('en', '…')).toBeNull();
    expect(await label('en', '')).toBeNull();
    expect(await label('fi', 'Hyvä tiimi')).toBeNull();
  });

  it('lets the text decide, and the question only where the text has no leaning of its own', async () => {
    const like = 'What do you like?';
    const improve = 'What should we improve?';
    for (const question of [undefined, like, improve])
      expect(await label('en', 'The pay is terrible, really awful.', 'Pay and benefits', question)).toBe('negative');
    for (const question of [undefined, like, improve])
      expect(await label('en', 'I got my money on time', 'Team and colleagues', question)).toBe('positive');
    expect(await label('en', 'The canteen.', 'Workplace and facilities', like)).toBe('positive');
    expect(await label('en', 'The canteen.', 'Workplace and facilities', improve)).toBe('negative');
  });

  it.each([
    ['en', 'My team has a meeting every Monday'],
    ['en', 'I come by bike.'],
    ['de', 'Besprechungen finden dienstags statt'],
    ['fr', 'Je travaille sur le site de Lyon.'],
    ['es', 'Mis compañeros trabajan en Madrid.'],
    ['nl', 'Ik fiets naar kantoor.'],
    ['nl', 'Vroeg, laat, nacht, in die volgorde.'],
  ])('%s: scores a plain statement as neutral: %s', async (language, text) => {
    expect(await label(language, text)).toBe('neutral');
  });

  it('reads no negation in the superior N+1', async () => {
    expect(await label('fr', 'Mon N+1 est super', 'Management')).toBe('positive');
  });
});

describe("a topic's own noun", () => {
  const labelOf = async (language: string, text: string, name: string, question?: string) =>
    (await scorer.score({ text, language, question, topic: { topicId: 1, name, keywords: new Map() } })).label;
  const labelsOf = (language: string, texts: readonly string[], name: string) =>
    Promise.all(texts.map(async (text) => [text, await labelOf(language, text, name)]));
  const NOUNS: Readonly<Record<string, readonly string[]>> = {
    en: ['salary', 'parking', 'training', 'colleagues', 'university', 'canteen', 'meeting rooms', 'stress', 'IT'],
    de: ['Gehalt', 'Parkplatz', 'Schulung', 'Kollegen', 'Universität', 'Kantine', 'Überstunden'],
    fr: ['salaire', 'parking', 'formation', 'collègues', 'université', 'cantine', 'salles de réunion'],
    es: ['salario', 'aparcamiento', 'formación', 'compañeros', 'universidad', 'comedor'],
    nl: ['salaris', 'parkeren', 'opleiding', "collega's", 'universiteit', 'kantine'],
  };
  const rows = Object.entries(NOUNS).flatMap(([language, nouns]) => nouns.map((noun) => [language, noun] as const));

  it.each(rows)('in %s says nothing alone, and emoji decide: %s', async (language, noun) => {
    expect(await labelOf(language, noun, noun)).toBe('neutral');
    expect(await labelOf(language, `${noun}: n/a`, noun, 'What do you like?')).toBeNull();
    for (const emoji of ['👍', '👍🏽', '😊', '❤️', ':-)'])
      expect(await labelOf(language, `${noun} ${emoji}`, noun)).toBe('positive');
    for (const emoji of ['👎', '😡😡', '😂👎', ':(']) expect(await labelOf(language, `${emoji} ${noun}`, noun)).toBe('negative');
  });

  it.each([
    ['en', ['HR', 'Lift', 'The gym', 'Car park', 'Career opportunities', 'My superior']],
    ['de', ['Aufzug', 'Personalabteilung', 'Der Gabelstapler', 'Erste Hilfe', 'Drucker']],
    ['fr', ['Ascenseur', 'Jardin', 'Le garage', 'Chariot élévateur', 'N+1', 'Compétences']],
    ['es', ['Ascensor', 'Jardín', 'El garaje', 'Primeros auxilios', 'Ordenador', 'Mi responsable', 'Seguro médico']],
    ['nl', ['Lift', 'Personeelszaken', 'De heftruck', 'Juridische afdeling', 'Betaling']],
  ])('in %s says nothing even if no topic has it: %s', async (language, nouns) => {
    for (const noun of nouns) {
      expect([noun, await labelOf(language, noun, 'Zzz')]).toEqual([noun, 'neutral']);
      expect([noun, await labelOf(language, `${noun}: n/a`, 'Zzz')]).toEqual([noun, null]);
      expect([noun, await labelOf(language, noun, 'Zzz', 'What should we improve?')]).toEqual([noun, 'negative']);
    }
  });

  it.each([
    ['en', 'In six years I have seen him twice.'],
    ['de', 'Ich zähle die Tage bis zur Rente.'],
    ['fr', "En six ans je l'ai vu deux fois."],
    ['es', 'En seis años lo he visto dos veces.'],
    ['nl', 'In zes jaar heb ik hem twee keer gezien.'],
  ])('in %s is not judged by the question where the text states something: %s', async (language, text) => {
    expect(await labelOf(language, text, 'Zzz', 'What do you like?')).not.toBe('positive');
  });

  it.each([
    [
      'en',
      [
        'The # is great',
        'The # is awful',
        'I use the # on Mondays',
        '# okay',
        'No #',
        'More #',
        'Too little #',
        'It is about the #',
      ],
    ],
    ['de', ['# ist super', '# ist furchtbar', '# geht so', 'Kein #', 'Mehr #', '# am Montag']],
    ['fr', ['# est super', '# est nul', 'Plus de #', '# le lundi']],
    ['es', ['# es genial', '# es horrible', 'Más #', '# los lunes']],
    ['nl', ['# is super', '# is vreselijk', 'Meer #', '# op maandag']],
  ])('in %s can be any other noun with the same label', async (language, sentences) => {
    // `no stress` is praise.
    const nouns = (NOUNS[language] ?? []).filter((noun) => !['stress', 'Überstunden'].includes(noun));
    const different = sentences.map(async (sentence) => {
      const labels = await Promise.all(nouns.map((noun) => labelOf(language, sentence.replace('#', noun), noun)));
      return new Set(labels).size === 1 ? [] : [sentence, ...labels];
    });
    expect((await Promise.all(different)).flat()).toEqual([]);
  });

  it.each([
    [
      'en',
      'Canteen',
      [
        'I have no opinion on the canteen',
        'Canteen: I prefer not to say',
        "Canteen - don't know",
        "I can't say anything about the canteen",
        "I bring my lunch, so I can't judge the canteen",
      ],
    ],
    [
      'de',
      'Kantine',
      [
        'Zur Kantine habe ich keine Meinung',
        'Kantine: k.A.',
        'Kantine: weiß nicht',
        'Zur Kantine kann ich nichts sagen',
        'Kantine: noch keine Meinung',
      ],
    ],
    [
      'fr',
      'Cantine',
      ["Je n'ai pas d'avis sur la cantine", 'Cantine : je préfère ne pas répondre', 'Je ne peux pas juger de la cantine'],
    ],
    ['es', 'Comedor', ['No tengo opinión sobre el comedor', 'Comedor: no me afecta', 'No puedo valorar el comedor']],
    ['nl', 'Kantine', ['Ik heb geen mening over de kantine', 'Kantine: n.v.t.', 'Over de kantine kan ik niets zeggen']],
  ])('in %s with a statement that there is no opinion has none: %s', async (language, name, texts) => {
    expect(await labelsOf(language, texts, name)).toEqual(texts.map((text) => [text, null]));
  });

  it.each([
    [
      'en',
      'Canteen',
      [
        'Not bad at all',
        "I can't complain about the canteen",
        'No stress',
        'never boring',
        'Nothing wrong with it',
        'far from bad',
      ],
    ],
    [
      'de',
      'Kantine',
      ['Kann man nicht meckern', 'gar nicht so übel', 'nichts auszusetzen', 'alles andere als schlecht', 'Kein Grund zur Klage'],
    ],
    ['fr', 'Cantine', ['pas mal du tout', 'rien à redire', 'je ne peux pas me plaindre', 'aucune plainte']],
    ['es', 'Comedor', ['no está nada mal', 'no me puedo quejar', 'ninguna queja', 'nada que objetar']],
    ['nl', 'Kantine', ['Niks mis met de kantine', 'helemaal niet slecht', 'mag niet klagen', 'niets op aan te merken']],
  ])('in %s is praised by a denied complaint', async (language, name, texts) => {
    expect(await labelsOf(language, texts, name)).toEqual(texts.map((text) => [text, 'positive']));
  });

  it.each([
    [
      'en',
      ['Nothing about the new gym bothers me', 'No one has ever been rude to me', 'Nobody hides anything from us'],
      ["I can't stand the noise", 'It feels like a prison'],
    ],
    [
      'de',
      ['Langweilig wird es nie', 'Am Dienstplan stört mich nichts', 'Stress habe ich hier eigentlich nie'],
      ['Das Problem ist nicht gelöst', 'Sauber ist es nicht'],
    ],
    [
      'fr',
      ['Rien ne me dérange', 'Je ne me suis jamais ennuyé', 'Elles ne sont pas inintéressantes'],
      ['Personne ne règle les problèmes'],
    ],
    [
      'es',
      ['Nada de esto me molesta', 'Aquí nadie esconde información', 'El sistema no se cae nunca'],
      ['Las quejas no se toman en serio'],
    ],
    ['nl', ['Niets daarvan ergert me', 'Mijn baas liegt nooit', 'Het systeem crasht nooit'], ['Niemand lost de problemen op']],
  ])(
    'in %s is praised by denied criticism in any order, but not by what nobody mends: %s',
    async (language, praise, criticism) => {
      expect(await labelsOf(language, praise, 'Zzz')).toEqual(praise.map((text) => [text, 'positive']));
      expect(await labelsOf(language, criticism, 'Zzz')).toEqual(criticism.map((text) => [text, 'negative']));
    },
  );

  it.each([
    ['en', 'Canteen', ['The canteen used to be great', 'His predecessor was better', 'It was great until the caterer changed']],
    ['de', 'Kantine', ['Die Kantine war früher besser', 'Kantine: früher top', 'Die Kantine war mal richtig gut']],
    ['fr', 'Cantine', ["C'était mieux avant", "Avant, c'était bien", 'Il y a pas mal de problèmes']],
    ['es', 'Comedor', ['El comedor antiguo era mejor', 'solía ser genial']],
    ['nl', 'Kantine', ['Vroeger was het beter', 'De kantine was ooit geweldig']],
  ])('in %s is not praised by praise of the past', async (language, name, texts) => {
    expect(await labelsOf(language, texts, name)).toEqual(texts.map((text) => [text, 'negative']));
  });

  it.each([
    [
      'en',
      'Canteen',
      ['The canteen was awful, now it is good', 'It was slow but has got much better', 'It was chaos, it has finally been fixed'],
    ],
    ['de', 'Kantine', ['Die Kantine war furchtbar, jetzt ist sie gut', 'Die alte Kantine war mies, die neue ist super']],
    ['fr', 'Cantine', ["La cantine était horrible, maintenant c'est bon", 'La cantine était nulle, maintenant ça va']],
    ['es', 'Comedor', ['El comedor era horrible, ahora es bueno']],
    ['nl', 'Kantine', ['De kantine was vreselijk, nu is het goed']],
  ])('in %s is as it is now rather than as it was', async (language, name, texts) => {
    expect(await labelsOf(language, texts, name)).toEqual(texts.map((text) => [text, 'positive']));
  });

  it.each([
    ['en', 'Gym', 'The hall is cramped and awful, but the gym is modern'],
    ['de', 'Halle', 'Der Lohn ist furchtbar und ungerecht, aber die Halle ist modern'],
    ['fr', 'Salle', 'Le salaire est horrible et injuste, mais la salle est moderne'],
    ['es', 'Sala', 'El sueldo es horrible e injusto, pero la sala es moderna'],
    ['nl', 'Zaal', 'Het loon is vreselijk en oneerlijk, maar de zaal is modern'],
  ])('in %s is judged by its own clause if that has an opinion', async (language, name, text) => {
    expect(await labelsOf(language, [text], name)).toEqual([[text, 'positive']]);
  });

  it.each([
    [
      'en',
      [
        "I couldn't wish for a fairer boss",
        'No regrets about changing teams',
        'not as terrible as they say',
        'could have done a lot worse',
      ],
      ["I don't feel heard"],
    ],
    [
      'de',
      ['Gegen nichts würde ich das tauschen', 'nicht die schlechteste Wahl', 'nicht unfreundlich', 'nirgends sonst will ich hin'],
      ['nicht sehr klasse'],
    ],
    ['fr', ['Je ne regrette rien', 'pas la pire', 'jamais ennuyeux'], ['pas très correct']],
    ['es', ['No me arrepiento', 'no es la peor', 'nunca me aburro'], ['no es nada genial']],
    ['nl', ['Geen moment spijt van gehad', 'niet de slechtste', 'nooit saai'], ['niet echt tof']],
  ])('in %s is praised by what nobody would give up', async (language, praise, criticism) => {
    expect(await labelsOf(language, praise, 'Zzz')).toEqual(praise.map((text) => [text, 'positive']));
    expect(await labelsOf(language, criticism, 'Zzz')).toEqual(criticism.map((text) => [text, 'negative']));
  });

  it.each([
    [
      'en',
      ['Saves us hours every week.', 'Never had such a good boss.', 'My colleagues covered all my shifts.'],
      [
        'It takes ten minutes until my laptop has booted.',
        'Our leave was denied.',
        'Two people do the work of five.',
        'My last raise was six years ago.',
        'My boss never asks how I am.',
        'The roof leaks.',
      ],
    ],
    [
      'de',
      [
        'Spart uns jede Woche Stunden.',
        'Noch nie hatte ich eine so faire Chefin.',
        'Die Firma hat mir den Führerschein bezahlt.',
      ],
      [
        'Der Termin wurde abgesagt.',
        'Ein Danke hört man hier nie.',
        'Noch nie so schlecht geplant.',
        'Seit drei Monaten warte ich auf einen Stuhl.',
      ],
    ],
    [
      'fr',
      ['Ça nous fait gagner des heures.', "Je n'ai jamais eu un aussi bon chef.", 'Ma cheffe nous remercie.'],
      [
        'Le poste est allé à son neveu.',
        'À deux on fait le travail de cinq.',
        "On n'entend jamais un merci ici.",
        "Il pleut dans l'atelier.",
      ],
    ],
    [
      'es',
      ['Nos ahorra horas cada semana.', 'Mi jefa pregunta cada lunes cómo estoy.', 'De aprendiz a jefe de equipo.'],
      [
        'Nos quitaron el bono.',
        'Hago dos trabajos por un solo sueldo.',
        'Llevo tres meses esperando una silla.',
        'Nadie da las gracias.',
      ],
    ],
    [
      'nl',
      ['Het scheelt ons elke week uren.', "Nog nooit zo'n goede baas gehad.", 'Mijn laptop werd binnen een uur vervangen.'],
      [
        'Ik werk elk weekend.',
        'Een bedankje hoor je hier nooit.',
        'Vroeger kregen we een kerstpakket.',
        'Veel goede mensen vertrekken.',
      ],
    ],
  ])('in %s is rated by facts that imply praise or criticism', async (language, praise, criticism) => {
    expect(await labelsOf(language, praise, 'Zzz')).toEqual(praise.map((text) => [text, 'positive']));
    expect(await labelsOf(language, criticism, 'Zzz')).toEqual(criticism.map((text) => [text, 'negative']));
  });

  it.each([
    ['en', ['Airy hall', 'Subsidised lunch'], ['Rusty tools', 'Roof leaks']],
    ['de', ['Kostenloser Kaffee', 'Helle Halle', 'Respektvoller Umgang'], ['Eiskalte Halle', 'Dach undicht']],
    ['fr', ['Café gratuit', 'Atelier lumineux', 'Horaires flexibles'], ['Outils rouillés', 'Soupe tiède']],
    ['es', ['Café gratis', 'Nave luminosa', 'Horarios flexibles'], ['Herramientas oxidadas', 'Goteras']],
    ['nl', ['Gratis koffie', 'Gloednieuwe heftruck', 'Flexibele werktijden'], ['Roestig gereedschap', 'Dak lekt']],
  ])('in %s is rated by the state that few words tell, whatever the question asks', async (language, praise, criticism) => {
    for (const question of [undefined, 'What do you like?', 'What should we improve?']) {
      for (const text of praise) expect([text, await labelOf(language, text, 'Zzz', question)]).toEqual([text, 'positive']);
      for (const text of criticism) expect([text, await labelOf(language, text, 'Zzz', question)]).toEqual([text, 'negative']);
    }
  });

  it.each([
    ['en', 'Canteen', ['It could scarcely be better', 'could hardly be better organised'], ['It can hardly get worse']],
    [
      'de',
      'Kantine',
      ['Die Kantine könnte kaum besser sein'],
      ['kann kaum schlechter werden', 'Schlechter könnte sie nicht sein'],
    ],
    ['fr', 'Cantine', ['La cantine pourrait difficilement être meilleure'], ['La cantine ne pourrait pas être pire']],
    ['es', 'Comedor', ['El comedor difícilmente podría ser mejor'], ['El comedor difícilmente puede ser peor']],
    ['nl', 'Kantine', ['De kantine kan nauwelijks beter'], ['De kantine kan haast niet slechter']],
  ])('in %s is as good or bad as what cannot be better or worse', async (language, name, praise, criticism) => {
    expect(await labelsOf(language, praise, name)).toEqual(praise.map((text) => [text, 'positive']));
    expect(await labelsOf(language, criticism, name)).toEqual(criticism.map((text) => [text, 'negative']));
  });

  it.each([
    ['en', 'Canteen', 'I would miss the canteen', ['The canteen is a joke', 'I wish the canteen had soup']],
    ['de', 'Kantine', 'Die Kantine würde mir fehlen', ['Die Kantine ist ein Witz', 'In der Kantine tut sich nichts']],
    ['fr', 'Cantine', "La cantine s'est améliorée", ['Cette cantine est une blague', 'Rien ne bouge à la cantine']],
    ['es', 'Comedor', 'El comedor ha mejorado', ['El comedor es un chiste', 'El comedor va de mal en peor']],
    ['nl', 'Kantine', 'De kantine zou ik missen', ['De kantine is een grap', 'In de kantine verandert niets']],
  ])('in %s is rated by idioms', async (language, name, praise, criticism) => {
    expect(await labelsOf(language, [praise], name)).toEqual([[praise, 'positive']]);
    expect(await labelsOf(language, criticism, name)).toEqual(criticism.map((text) => [text, 'negative']));
  });

  it.each([
    ['en', ['The canteen is neither good nor bad', 'So so, the canteen', 'The canteen is okay for the price']],
    ['de', ['Die Kantine ist weder gut noch schlecht', 'Kantine mittelmäßig', 'Die Kantine ist in Ordnung']],
    ['fr', ['Une cantine ni bonne ni mauvaise', 'Cantine sans plus', 'La cantine est correcte']],
    ['es', ['El comedor no es ni bueno ni malo', 'Comedor regular', 'Un comedor normal']],
    ['nl', ['De kantine is niet goed en niet slecht', 'De kantine gaat wel', 'De kantine: niets bijzonders']],
  ])('in %s is neither good nor bad where the text says so, whatever the question asks: %s', async (language, texts) => {
    for (const question of [undefined, 'What do you like?', 'What should we improve?'])
      for (const text of texts) expect([text, await labelOf(language, text, 'Canteen', question)]).toEqual([text, 'neutral']);
  });

  it.each([
    [
      'en',
      'Stress',
      ['less stress now', 'fewer problems than before', 'My boss is never out of control', 'neither slow nor rude'],
    ],
    ['en', 'Office', ['Less noise since we moved', 'There is less overtime than last year']],
    ['de', 'Stress', ['weniger Stress als vorher', 'Der Chef lässt uns nie im Stich', 'weder laut noch stressig']],
    ['de', 'Büro', ['Weniger Lärm seit dem Umzug', 'Es gibt jetzt weniger Überstunden als letztes Jahr']],
    ['fr', 'Stress', ["moins de stress qu'avant", 'Moins de bruit depuis le déménagement']],
    ['es', 'Estrés', ['menos estrés que antes', 'Menos ruido desde la mudanza']],
    ['nl', 'Stress', ['minder stress dan vroeger', 'Mijn baas laat ons nooit in de steek', 'Minder lawaai sinds de verhuizing']],
  ])('in %s is praised when criticism is denied or becomes less: %s', async (language, name, texts) => {
    expect(await labelsOf(language, texts, name)).toEqual(texts.map((text) => [text, 'positive']));
  });

  it.each([
    ['en', ['My boss is neither friendly nor fair', 'He is not friendly or helpful', 'That is not okay']],
    ['de', ['Für uns hat er kein offenes Ohr', 'Der Chef ist weder freundlich noch fair', 'Das ist nicht in Ordnung']],
    ['fr', ["Mon chef n'est ni aimable ni juste", "Ce n'est pas correct"]],
    ['es', ['Mi jefe no es ni amable ni justo', 'No es normal']],
    ['nl', ['Mijn baas is noch vriendelijk noch eerlijk', 'Ik vertrouw mijn leidinggevende niet']],
  ])('in %s is criticised when praise, or even the average, is denied: %s', async (language, texts) => {
    expect(await labelsOf(language, texts, 'Chef')).toEqual(texts.map((text) => [text, 'negative']));
  });

  it('is rated by emoji in a language without a model', async () => {
    expect([await labelOf('fi', 'Ruokala 👍', 'Canteen'), await labelOf('', '👎👎', 'Canteen')]).toEqual([
      'positive',
      'negative',
    ]);
  });
});

it('returns the same score in [-1, 1] for the same pair, whatever was scored before', async () => {
  const words = fc.constantFrom('team', 'not', 'good', 'terrible', ',', '.', 'but', '🙂', 'Kollegen', 'nicht');
  const text = fc.array(fc.oneof(words, fc.string()), { maxLength: 20 }).map((parts) => parts.join(' '));
  const topic = topics.get('Team and colleagues');
  if (topic === undefined) throw new Error('no team');
  await fc.assert(
    fc.asyncProperty(text, text, fc.constantFrom('en', 'de', 'xx'), async (one, other, language) => {
      const first = await scorer.score({ text: one, language, question: undefined, topic });
      await scorer.score({ text: other, language, question: undefined, topic });
      expect(await scorer.score({ text: one, language, question: undefined, topic })).toEqual(first);
      expect(Math.abs(first.score)).toBeLessThanOrEqual(1);
    }),
  );
});

describe('loading the weights', () => {
  it('rejects a file that differs from the manifest', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'survey-models-'));
    try {
      await cp(new URL('../../models/', import.meta.url), folder, { recursive: true });
      const file = join(folder, 'sentiment.nl.bin');
      const bytes = await readFile(file);
      bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
      await writeFile(file, bytes);
      await expect(loadSentimentModels(pathToFileURL(`${folder}/`))).rejects.toThrow('cannot load models/sentiment.nl.bin');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
