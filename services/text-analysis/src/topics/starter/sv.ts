import type { StarterWords } from './starter-words.ts';

export const SV: StarterWords = {
  management: {
    name: 'Närmaste chef',
    keywords: `chef, chefen, chefer, cheferna, närmaste chef, ledare, ledaren, ledarna, ledarskap, ledarskapet, mellanchef, mellanchefer, teamledare, gruppledare, gruppchef, enhetschef, enhetschefen, avdelningschef,
      avdelningschefen, arbetsledare, arbetsledaren, arbetsledning, förman, överordnad, överordnade, detaljstyrning, mikrostyrning, medarbetarsamtal, chefskap, samordnare, platschef`,
  },
  leadership: {
    name: 'Ledning och strategi',
    keywords: `ledning, ledningen, högsta ledningen, företagsledning, företagsledningen, ledningsgrupp, ledningsgruppen, direktör, direktören, direktörer, vd, styrelse, styrelsen, strategi, strategin, strategier,
      strategisk, vision, visionen, visioner, riktning, inriktning, företagets mål, mission, prioriteringar, prioritering, omorganisation, omorganisationer, omstrukturering, framtidsplan, ägarna`,
  },
  pay: {
    name: 'Lön och förmåner',
    keywords: `lön, lönen, löner, lönerna, löneförhöjning, löneökning, lönesättning, lönerevision, underbetald, betalt, betald, betalning, ersättning, ersättningar, bonus, bonusen, tillägg, ob-tillägg, förmån, förmåner,
      tjänstepension, pension, försäkring, sjukvårdsförsäkring, friskvårdsbidrag, provision, kollektivavtal, pengar, tjäna, tjänar, tjänstebil, semesterersättning, kompensation, lönekuvert`,
  },
  workload: {
    name: 'Arbetsbelastning',
    keywords: `arbetsbelastning, arbetsbelastningen, belastning, överbelastad, överbelastade, arbetsmängd, arbetsbörda, press, pressen, pressad, pressade, tidspress, stress, stressen, stressad, stressade, stressigt,
      stressig, övertid, deadline, deadlines, tidsfrister, för mycket att göra, för mycket jobb, för många uppgifter, för få personer, personalbrist, underbemannat, underbemannade, underbemanning, bemanning,
      bemanningen, kapacitet, tempo, hektiskt, mycket att göra`,
  },
  communication: {
    name: 'Kommunikation',
    keywords: `kommunikation, kommunikationen, kommunicera, kommunicerar, information, informationen, informera, informerar, informerad, informerade, transparens, transparent, öppenhet, nyhetsbrev, intranät, möte, möten,
      mötena, mejl, e-post, dialog, dialogen, lyssna, lyssnar, lyssnat, bli hörd, bli lyssnad, feedback, återkoppling, förslag, besked, uppdateringar, informationsmöte, informationsmöten`,
  },
  career: {
    name: 'Karriär och utveckling',
    keywords: `karriär, karriären, karriärväg, karriärvägar, karriärmöjligheter, karriärutveckling, befordran, befordrad, befordras, utveckling, utvecklas, utvecklingsmöjligheter, möjlighet, möjligheter, avancera, växa,
      avancemang, nästa steg, intern rörlighet, internt byte, yrkesutveckling, framtidsutsikter, perspektiv, återvändsgränd, stillastående, utvecklingsplan, ny tjänst, ny roll`,
  },
  learning: {
    name: 'Lärande och utbildning',
    keywords: `utbildning, utbildningen, utbildningar, vidareutbildning, fortbildning, kurs, kursen, kurser, kurserna, upplärning, träning, lära, lär, lärt, lärande, workshop, workshops, seminarium, seminarier, mentor,
      mentorskap, handledning, handledare, coachning, coach, kunskap, kunskaper, kompetens, kompetenser, kompetensutveckling, certifiering, introduktion, onboarding, e-lärande, konferens`,
  },
  team: {
    name: 'Team och kollegor',
    keywords: `team, teamet, teamen, arbetslag, arbetslaget, lag, laget, kollega, kollegor, kollegorna, arbetskamrat, arbetskamrater, arbetskamraterna, samarbete, samarbetet, samarbeta, samarbetar, laganda, lagandan,
      teamkänsla, sammanhållning, sammanhållningen, gemenskap, gemenskapen, hjälper varandra, stöttar varandra, hjälpsam, hjälpsamma, kamratskap, teambuilding, stuprör, tvärfunktionellt, sammansvetsad`,
  },
  tools: {
    name: 'Verktyg och utrustning',
    keywords: `verktyg, verktygen, utrustning, utrustningen, programvara, mjukvara, hårdvara, dator, datorn, datorer, datorerna, laptop, system, systemet, systemen, IT, it-system, it-stöd, it-support, teknik, tekniken,
      teknologi, maskin, maskiner, maskinerna, skrivare, VPN, internet, nätverk, wifi, licenser, program, programmet, skärm, skärmar, telefoner, arbetskläder, apparater`,
  },
  culture: {
    name: 'Kultur och värderingar',
    keywords: `kultur, kulturen, företagskultur, arbetskultur, värdering, värderingar, värdegrund, stämning, stämningen, arbetsmiljö, arbetsmiljön, psykosocial arbetsmiljö, klimat, klimatet, atmosfär, jargong, tillit,
      förtroende, respekt, respekterad, respektlös, respektlöst, skvaller, mobbning, mobbad, giftig, giftigt, toxisk, ärlighet, etik, hierarki, hierarkisk, moral, trygghet, tystnadskultur`,
  },
  fairness: {
    name: 'Rättvisa och mångfald',
    keywords: `rättvis, rättvist, rättvisa, orättvis, orättvist, orättvisa, jämlik, jämlikhet, ojämlikhet, jämställd, jämställdhet, lika möjligheter, lika behandling, likabehandling, mångfald, inkludering, inkluderande,
      diskriminering, diskriminerad, diskrimineras, särbehandling, favorisering, favoriserar, favoriter, nepotism, kön, kvinnor, sexism, rasism, trakasserier, minoriteter, funktionsnedsättning, fördomar,
      lika lön`,
  },
  health: {
    name: 'Hälsa och balans',
    keywords: `hälsa, hälsan, frisk, ohälsa, psykisk hälsa, psykisk ohälsa, välmående, välbefinnande, må bra, mår dåligt, utbränd, utbrända, utbrändhet, utmattad, utmattning, trött, trötta, balans, balansen, privatliv,
      privatlivet, familjeliv, familj, familjen, fritid, fritiden, sjuk, sjuka, sjukdom, sjukfrånvaro, sjukskriven, sjukskrivning, ergonomi, ergonomisk, sömn, återhämtning, rast, pauser,
      friskvård`,
  },
  flexibility: {
    name: 'Flexibilitet och arbetstid',
    keywords: `flexibel, flexibelt, flexibla, flexibilitet, flextid, arbetstid, arbetstider, arbetstiderna, skift, skiftarbete, nattskift, nattpass, pass, schema, scheman, schemat, schemaläggning, hemarbete, hemifrån,
      jobba hemma, distansarbete, på distans, hybrid, hybridarbete, deltid, fyradagarsvecka, semester, semestern, semesterdagar, ledighet, lediga dagar, helg, helger, helgarbete, föräldraledighet,
      tjänstledighet, arbetspass`,
  },
  recognition: {
    name: 'Uppskattning',
    keywords: `uppskattning, uppskattad, uppskattade, uppskattar, erkännande, erkänd, bekräftelse, beröm, berömma, berömmer, tack, tacka, tackar, tacksamhet, belöning, belöningar, belönas, belönad, blir sedd, bli sedd,
      värdesatt, värdesätts, värderad, värderas, klapp på axeln, tas för givet, utmärkelse, pris, bara ett nummer, bekräftad, ros`,
  },
  workplace: {
    name: 'Arbetsplats och lokaler',
    keywords: `kontor, kontoret, kontorslandskap, öppet landskap, skrivbord, arbetsplats, lokal, lokaler, lokalerna, mötesrum, konferensrum, buller, ljudnivå, högljutt, matsal, lunchrum, kök, köket, mat,
      kaffe, fika, parkering, parkeringsplats, parkeringsplatser, luftkonditionering, värme, temperatur, kallt, varmt, ventilation, byggnad, byggnaden, toalett, toaletter, pendling, pendla, stolar, städning,
      belysning, omklädningsrum`,
  },
  work: {
    name: 'Arbetsuppgifter och ansvar',
    keywords: `arbetsuppgift, arbetsuppgifter, arbetsuppgifterna, uppgift, uppgifter, uppgifterna, mitt arbete, arbetsinnehåll, meningsfull, meningsfullt, mening, syfte, utmaning, utmaningar, utmanande, varierande,
      variation, omväxling, omväxlande, tråkig, tråkigt, enformig, enformigt, monotont, självständig, självständigt, självständighet, eget ansvar, ansvar, ansvaret, inflytande, medbestämmande, projekt,
      kreativ, kreativitet, arbetsglädje, frihet`,
  },
  security: {
    name: 'Anställningstrygghet',
    keywords: `anställningstrygghet, trygg anställning, säkert jobb, trygghet i jobbet, osäkerhet, otrygg, otrygghet, uppsägning, uppsägningar, uppsagd, uppsagda, varsel, varslad, varslade, varslat, sparken, avsked, avskedad,
      nedskärning, nedskärningar, besparingar, visstid, visstidsanställning, tillfällig, tillfälliga, vikarie, vikarier, bemanningsföretag, tillsvidareanställning, fast anställning, fast tjänst, stabil, stabilitet,
      personalomsättning, outsourcing, nedläggning`,
  },
  processes: {
    name: 'Processer och organisation',
    keywords: `process, processer, processen, rutin, rutiner, rutinerna, arbetssätt, arbetsflöde, byråkrati, byråkratisk, byråkratiskt, organisation, organisationen, organiserad, oorganiserat, struktur, strukturen,
      strukturer, planering, planerat, effektiv, effektivt, effektivitet, ineffektiv, ineffektivt, pappersarbete, godkännande, godkännanden, regler, riktlinjer, samordning, dokumentation, kaos, kaotiskt,
      oreda, avdelningar, administration`,
  },
};
