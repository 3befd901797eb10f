import type { StarterWords } from './starter-words.ts';

export const NL: StarterWords = {
  management: {
    name: 'Leidinggevenden',
    keywords: `leidinggevende, leidinggevenden, leidinggeven, manager, managers, management, middenkader, baas, bazen, chef, chefs, teamleider, teamleiders, teamleidster, teamlead, afdelingshoofd, afdelingsleider, afdelingsmanager,
      supervisor, ploegleider, ploegbaas, meerdere, meerderen, aansturing, aangestuurd, aansturen, micromanagement, functioneringsgesprek, functioneringsgesprekken, voortgangsgesprek, coördinator, leidinggevend, filiaalmanager`,
  },
  leadership: {
    name: 'Directie en strategie',
    keywords: `directie, directeur, directeuren, bestuur, bestuurders, raad van bestuur, hoger management, topmanagement, leiderschap, leiders, bedrijfsleiding, top van het bedrijf, CEO, strategie, strategieën, strategisch, visie, koers,
      richting van het bedrijf, bedrijfsdoelen, doelstellingen, prioriteiten, reorganisatie, reorganisaties, herstructurering, missie, beleid, toekomst van het bedrijf, hoofdkantoor, langetermijnplan`,
  },
  pay: {
    name: 'Salaris en voorwaarden',
    keywords: `salaris, salarissen, salarisverhoging, loon, loonsverhoging, beloning, betaling, betaald, betaalt, onderbetaald, verdien, verdient, verdiensten, inkomen, bonus, bonussen, toeslag,
      vakantiegeld, dertiende maand, pensioen, pensioenregeling, arbeidsvoorwaarden, secundaire arbeidsvoorwaarden, extralegale voordelen, maaltijdcheques, hospitalisatieverzekering, leaseauto, bedrijfswagen, reiskosten,
      reiskostenvergoeding, vergoeding, geld, cao, schaal, loonschaal, premie, premies, provisie, winstdeling, personeelskorting`,
  },
  workload: {
    name: 'Werkdruk',
    keywords: `werkdruk, werklast, werkbelasting, belasting, overbelast, overbelasting, overwerk, overwerken, overwerkt, overuren, stress, stressvol, stressig, gestrest, druk, drukte, tijdsdruk, prestatiedruk, deadline, deadlines,
      onderbezet, onderbezetting, onderbemand, bezetting, personeelstekort, te weinig personeel, te weinig mensen, te weinig collega's, te veel werk, te veel taken, hoeveelheid werk, hectisch, tempo, werktempo, capaciteit,
      achterstanden, onrealistische targets, targets`,
  },
  communication: {
    name: 'Communicatie',
    keywords: `communicatie, communiceren, communiceert, gecommuniceerd, informatie, geïnformeerd, informeren, informatievoorziening, informatiestroom, transparantie, transparant, luisteren, luistert, geluisterd, gehoord, terugkoppeling,
      feedback, intranet, nieuwsbrief, mededeling, mededelingen, aankondiging, aankondigingen, overleg, overleggen, vergadering, vergaderingen, meeting, meetings, e-mails, mails, dialoog, op de hoogte, wandelgangen, inspraak,
      suggesties, openheid, afspraken`,
  },
  career: {
    name: 'Loopbaan en groei',
    keywords: `loopbaan, carrière, carrières, carrièremogelijkheden, carrièrekansen, carrièrepad, groei, groeien, groeimogelijkheden, doorgroeien, doorgroeimogelijkheden, doorgroei, doorgroeikansen, promotie, promoties, gepromoveerd,
      ontwikkelingsmogelijkheden, ontwikkelkansen, ontwikkelen, ontwikkeling, persoonlijke ontwikkeling, kans, kansen, perspectief, toekomstperspectief, interne mobiliteit, interne vacatures, volgende stap, stilstand, vastgeroest,
      hogerop, hogerop komen, ontwikkelplan`,
  },
  learning: {
    name: 'Leren en opleiding',
    keywords: `opleiding, opleidingen, opleidingsmogelijkheden, opgeleid, training, trainingen, getraind, cursus, cursussen, leren, leer, geleerd, bijleren, leermogelijkheden, bijscholing, scholing, workshop, workshops, seminar, seminars,
      coaching, coach, mentor, mentoren, begeleiding, vaardigheden, kennis, kennisdeling, certificaat, certificering, inwerken, ingewerkt, inwerkprogramma, inwerkperiode, onboarding, e-learning, conferenties, studie,
      opleidingsbudget`,
  },
  team: {
    name: "Team en collega's",
    keywords: `team, teams, teamgeest, teamspirit, teamwerk, teamwork, teamgevoel, collega, collegas, collega's, collegiaal, collegialiteit, samenwerking, samenwerken, samenwerkt, samenhorigheid, saamhorigheid, onderlinge hulp,
      onderlinge steun, helpen elkaar, elkaar helpen, behulpzaam, behulpzame, kameraadschap, teambuilding, teamuitjes, groepsgevoel, groepssfeer, eilandjes, eilandcultuur, tussen afdelingen, ploeg, collegae`,
  },
  tools: {
    name: 'Middelen en IT',
    keywords: `middelen, hulpmiddelen, gereedschap, gereedschappen, materiaal, materialen, tool, tooling, apparatuur, uitrusting, software, hardware, laptop, computer, pc, systeem, IT, ICT, helpdesk,
      IT-ondersteuning, techniek, technologie, machine, machines, apparaten, printer, VPN, netwerk, internet, wifi, licenties, applicatie, applicaties, programma's, beeldscherm, scherm, monitor,
      digitalisering, automatisering, werkkleding`,
  },
  culture: {
    name: 'Cultuur en waarden',
    keywords: `cultuur, bedrijfscultuur, werkcultuur, aanspreekcultuur, angstcultuur, afrekencultuur, waarden, kernwaarden, sfeer, werksfeer, klimaat, werkklimaat, vertrouwen, wantrouwen, respect, respectvol, respectloos, gerespecteerd,
      omgang, omgangsvormen, eerlijkheid, integriteit, ethiek, mentaliteit, toxisch, giftig, pesten, pestgedrag, pesterijen, roddel, roddelen, politieke spelletjes, hiërarchie, hiërarchisch, familiaal,
      ons kent ons, moraal, gezelligheid, gezellig, schuld`,
  },
  fairness: {
    name: 'Eerlijkheid en diversiteit',
    keywords: `eerlijk, oneerlijk, oneerlijke, rechtvaardig, rechtvaardigheid, onrechtvaardig, onrecht, gelijk behandeld, gelijke behandeling, gelijkheid, gelijkwaardig, gelijke kansen, ongelijk, ongelijkheid, ongelijke behandeling,
      diversiteit, divers, inclusie, inclusief, inclusieve, discriminatie, gediscrimineerd, discrimineren, voorgetrokken, voortrekken, voortrekkerij, vriendjespolitiek, favoritisme, lievelingetjes, vrouwen, gender, loonkloof,
      seksisme, racisme, intimidatie, beperking, partijdig`,
  },
  health: {
    name: 'Gezondheid en balans',
    keywords: `gezondheid, ongezond, vitaliteit, welzijn, mentale gezondheid, burn-out, burnout, uitgeput, uitputting, opgebrand, vermoeid, vermoeidheid, moe, werk-privébalans, werk-privé, balans, evenwicht, privéleven, gezin, gezinsleven,
      thuissituatie, familie, ziek, ziekte, ziekteverzuim, verzuim, ziekmelding, ergonomie, ergonomisch, rugklachten, slaap, herstel, pauze, pauzes, afschakelen, bedrijfsarts, sporten, bedrijfsfitness, rust, arbo`,
  },
  flexibility: {
    name: 'Flexibiliteit en werktijden',
    keywords: `flexibel, flexibiliteit, glijtijd, glijdende uren, werktijden, werkuren, uren, thuiswerk, thuiswerkdag, thuiswerkdagen, telewerk, telewerken, op afstand, hybride, remote, rooster, roosters, planning,
      dienst, diensten, nachtdienst, nachtdiensten, ploegendienst, ploegendiensten, ploegenwerk, nachtploeg, weekenddienst, weekendwerk, weekend, deeltijd, parttime, vierdaagse werkweek, vakantie, vakantiedagen, verlof, verlofdagen,
      vrije dagen, ouderschapsverlof, adv, roostervrij`,
  },
  recognition: {
    name: 'Waardering',
    keywords: `waardering, gewaardeerd, waarderen, waardeert, ondergewaardeerd, erkenning, erkend, erkennen, erkentelijkheid, compliment, complimenten, complimentje, schouderklopje, dank, dankbaarheid, bedankt, bedankje, bedanken, lof, geprezen,
      gezien worden, inzet wordt gezien, beloond, belonen, vanzelfsprekend, voor lief genomen, maar een nummer, slechts een nummer, gehonoreerd, aandacht voor prestaties, prestaties`,
  },
  workplace: {
    name: 'Werkplek',
    keywords: `kantoor, kantoortuin, werkplek, werkomgeving, bureau, bureaus, lawaai, geluidsoverlast, lawaaierig, herrie, kantine, bedrijfsrestaurant, lunch, eten, keuken, koffie, parkeren, parkeerplaats,
      parkeerplek, airco, airconditioning, verwarming, temperatuur, gebouw, faciliteiten, vergaderruimte, vergaderruimtes, vergaderzaal, toilet, kleedkamer, stoelen, meubilair, verlichting,
      netheid, hygiëne, locatie, reistijd, woon-werkverkeer, veiligheid, pauzeruimte`,
  },
  work: {
    name: 'Taken en verantwoordelijkheid',
    keywords: `taak, taken, takenpakket, werkzaamheden, werkinhoud, inhoud van het werk, mijn werk, mijn functie, functie, zinvol, zinvol werk, betekenisvol, afwisselend, afwisseling, gevarieerd, variatie, uitdaging, uitdagingen, uitdagend, interessant,
      interessante projecten, saai, eentonig, monotoon, repetitief, autonomie, zelfstandig, zelfstandigheid, vrijheid, verantwoordelijkheid, verantwoordelijkheden, eigen verantwoordelijkheid, eigenaarschap, initiatief, initiatieven,
      project, projecten, creativiteit, besluitvorming, vakmanschap`,
  },
  security: {
    name: 'Baanzekerheid',
    keywords: `baanzekerheid, werkzekerheid, zekerheid, onzekerheid, onzeker, vaste baan, vast contract, vaste contracten, vaste aanstelling, tijdelijk contract, tijdelijke contracten, contract, contracten, contractverlenging, ontslag,
      ontslagen, ontslagronde, ontslagrondes, boventallig, boventalligheid, banenverlies, krimp, uitzendkracht, uitzendkrachten, interim, flexwerkers, verloop, personeelsverloop, outsourcing, uitbesteding, sluiting, stabiel, stabiliteit,
      faillissement, baan verliezen, werkloosheid`,
  },
  processes: {
    name: 'Processen',
    keywords: `proces, processen, werkproces, werkprocessen, procedure, procedures, bureaucratie, bureaucratisch, georganiseerd, ongeorganiseerd, structuur, structuren, gestructureerd, werkwijze, werkwijzen, efficiëntie, efficiënt,
      inefficiënt, papierwerk, administratie, administratief, goedkeuring, goedkeuringen, regels, regelgeving, richtlijnen, coördinatie, afstemming, taakverdeling, rolverdeling, beslissingen, besluiten, chaos, chaotisch, afdeling, afdelingen,
      stroperig, documentatie, logistiek, werkverdeling`,
  },
};
