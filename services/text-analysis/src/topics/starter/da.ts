import type { StarterWords } from './starter-words.ts';

export const DA: StarterWords = {
  management: {
    name: 'Nærmeste leder',
    keywords: `leder, lederen, ledere, lederne, chef, chefen, chefer, cheferne, nærmeste leder, nærmeste chef, mellemleder, mellemledere, teamleder, teamlederen, afdelingsleder, afdelingslederen, gruppeleder,
      driftsleder, værkfører, formand, ledelse, ledelsesstil, mikroledelse, mikrostyring, overordnet, overordnede, souschef, koordinator, personaleledelse, en-til-en, medarbejdersamtale, MUS-samtale`,
  },
  leadership: {
    name: 'Direktion og strategi',
    keywords: `direktion, direktionen, direktør, direktøren, direktører, topledelse, topledelsen, øverste ledelse, bestyrelse, bestyrelsen, CEO, strategi, strategien, strategier, strategisk, vision, visionen, visioner,
      retning, virksomhedens retning, mission, mål for virksomheden, prioriteter, prioritering, omstrukturering, omorganisering, fremtidsplan, koncernledelse, ejerne`,
  },
  pay: {
    name: 'Løn og goder',
    keywords: `løn, lønnen, lønninger, lønnet, underbetalt, lønforhøjelse, lønstigning, lønseddel, betaling, betalt, betaler, gage, bonus, bonussen, bonusser, tillæg, goder, personalegoder, frynsegoder, pension,
      pensionsordning, sundhedsforsikring, forsikring, feriepenge, provision, overenskomst, penge, tjene, tjener, firmabil, aktier, honorering, vederlag, kompensation`,
  },
  workload: {
    name: 'Arbejdsbyrde',
    keywords: `arbejdsbyrde, arbejdsbyrden, arbejdsmængde, arbejdsmængden, arbejdspres, pres, presset, pressede, tidspres, travlhed, travlt, travl, stress, stresset, stressende, overbelastet, overbelastning, overarbejde,
      deadline, deadlines, frister, for mange opgaver, for meget arbejde, for få folk, for få hænder, underbemandet, underbemanding, bemanding, mangler folk, mandskab, kapacitet, tempo, hektisk, pukler`,
  },
  communication: {
    name: 'Kommunikation',
    keywords: `kommunikation, kommunikationen, kommunikere, kommunikerer, kommunikeret, information, informationer, informationen, informere, informerer, informeret, gennemsigtighed, gennemsigtig, åbenhed, nyhedsbrev,
      intranet, møde, møder, mødet, e-mails, mails, dialog, dialogen, lytte, lytter, lyttet, bliver hørt, blive hørt, feedback, tilbagemelding, forslag, udmelding, udmeldinger, opdateringer, besked, orientering`,
  },
  career: {
    name: 'Karriere og udvikling',
    keywords: `karriere, karrieren, karrierevej, karrieremuligheder, karriereudvikling, forfremmelse, forfremmelser, forfremmet, udvikling, udvikle, udviklingsmuligheder, muligheder, mulighed, avancement, avancere,
      vokse, vækst, næste skridt, nyt job internt, intern mobilitet, faglig udvikling, fremtidsmuligheder, perspektiv, perspektiver, blindgyde, stilstand, udviklingsplan, opnormering, ny stilling`,
  },
  learning: {
    name: 'Læring og uddannelse',
    keywords: `uddannelse, uddannelser, efteruddannelse, videreuddannelse, kursus, kurser, kurserne, oplæring, oplært, træning, undervisning, lære, lærer, lært, læring, workshop, workshops, seminar, seminarer, mentor,
      mentorordning, coaching, coach, viden, kompetence, kompetencer, kompetenceudvikling, certificering, introduktion, onboarding, e-læring, konference, sidemandsoplæring`,
  },
  team: {
    name: 'Team og kolleger',
    keywords: `team, teamet, teams, kollega, kollegaer, kolleger, kollegerne, kollegial, kollegialt, samarbejde, samarbejdet, samarbejder, holdånd, teamånd, sammenhold, fællesskab, fællesskabet, hjælper hinanden, hjælpsom,
      hjælpsomme, hold, holdet, samarbejdsvillig, kammeratskab, teambuilding, siloer, på tværs, tværfagligt, støtter hinanden, makker, makkere`,
  },
  tools: {
    name: 'Værktøj og udstyr',
    keywords: `værktøj, værktøjer, udstyr, udstyret, software, hardware, computer, computere, computeren, bærbar, PC, system, systemer, systemet, systemerne, IT, it-system, it-systemer, it-support, teknik, teknologi, maskine,
      maskiner, maskinerne, printer, printere, VPN, internet, netværk, wifi, licenser, program, programmer, skærm, skærme, arbejdstøj, telefoner, apparater`,
  },
  culture: {
    name: 'Kultur og værdier',
    keywords: `kultur, kulturen, virksomhedskultur, arbejdskultur, værdi, værdier, værdierne, stemning, stemningen, arbejdsmiljø, arbejdsmiljøet, psykisk arbejdsmiljø, klima, atmosfære, omgangstone, tone, tillid, respekt,
      respekteret, respektløs, sladder, mobning, mobbet, giftig, giftigt, toksisk, ærlighed, etik, hierarki, hierarkisk, moral, humor, tryghed, nulfejlskultur`,
  },
  fairness: {
    name: 'Retfærdighed og mangfoldighed',
    keywords: `retfærdig, retfærdigt, retfærdighed, uretfærdig, uretfærdigt, uretfærdighed, fair, unfair, lige, lighed, ulighed, ligestilling, lige muligheder, ligebehandling, mangfoldighed, diversitet, inklusion,
      inkluderende, diskrimination, diskrimineret, forskelsbehandling, favorisering, favoritter, nepotisme, køn, kvinder, sexisme, racisme, chikane, mindretal, handicap, fordomme, ligeløn`,
  },
  health: {
    name: 'Sundhed og balance',
    keywords: `sundhed, helbred, sund, usund, trivsel, trives, mental sundhed, udbrændt, udbrændthed, udmattet, træt, trætte, balance, balancen, work-life balance, privatliv, privatlivet, familieliv, familie, familien,
      fritid, syg, syge, sygdom, sygefravær, sygemelding, sygemeldt, ergonomi, ergonomisk, søvn, hvile, pause, pauser, slappe af, rygproblemer, motion, fitness`,
  },
  flexibility: {
    name: 'Fleksibilitet og arbejdstid',
    keywords: `fleksibel, fleksibelt, fleksible, fleksibilitet, flekstid, arbejdstid, arbejdstider, vagt, vagter, vagtplan, vagtplaner, nattevagt, aftenvagt, skift, skifteholdsarbejde, hjemmearbejde, hjemmearbejdsdage,
      hjemmefra, arbejde hjemme, fjernarbejde, hybrid, deltid, fire dages uge, ferie, ferier, feriedage, fridage, fri, weekend, weekender, weekendarbejde, orlov, barsel, skema, rul`,
  },
  recognition: {
    name: 'Anerkendelse',
    keywords: `anerkendelse, anerkendt, anerkende, anerkender, påskønnelse, påskønnet, værdsat, værdsættelse, værdsætter, ros, roser, rost, rose, tak, takket, takker, taknemmelighed, belønning, belønnet, belønninger,
      bliver set, blive set, skulderklap, taget for givet, honoreret, kredit, hæder, pris, bare et nummer, påskønner, indsatsen ses`,
  },
  workplace: {
    name: 'Arbejdsplads og faciliteter',
    keywords: `kontor, kontoret, kontorer, storrumskontor, åbent kontorlandskab, kontorlandskab, skrivebord, skriveborde, arbejdsplads, lokale, lokaler, mødelokale, mødelokaler, larm, støj, larmende, støjende, kantine,
      kantinen, køkken, mad, kaffe, parkering, parkeringspladser, aircondition, varme, temperatur, kulde, indeklima, bygning, bygningen, faciliteter, toilet, toiletter, beliggenhed, transport, stole, rengøring,
      belysning, omklædning`,
  },
  work: {
    name: 'Opgaver og ansvar',
    keywords: `opgave, opgaver, opgaverne, mine opgaver, mit arbejde, arbejdsopgaver, jobindhold, meningsfuld, meningsfuldt, mening, formål, udfordring, udfordringer, udfordrende, varieret, variation, afveksling, kedelig,
      kedeligt, ensformig, ensformigt, monotont, selvstændig, selvstændighed, selvbestemmelse, autonomi, ansvar, ansvaret, medbestemmelse, indflydelse, projekt, projekter, kreativ, kreativitet, arbejdsglæde`,
  },
  security: {
    name: 'Jobsikkerhed',
    keywords: `jobsikkerhed, sikkert job, sikker stilling, tryghed i ansættelsen, usikkerhed, jobusikkerhed, fyring, fyringer, fyret, fyringsrunde, fyringsrunder, afskedigelse, afskedigelser, afskediget, opsigelse, opsigelser,
      opsagt, nedskæring, nedskæringer, besparelser, tidsbegrænset, midlertidig, midlertidige, vikar, vikarer, fastansættelse, fastansat, stabil, stabilitet, personaleomsætning, outsourcing, lukning, udflytning`,
  },
  processes: {
    name: 'Processer og organisering',
    keywords: `proces, processer, procedure, procedurer, arbejdsgang, arbejdsgange, bureaukrati, bureaukratisk, organisering, organiseret, uorganiseret, struktur, strukturer, strukturen, struktureret, planlægning,
      planlagt, effektiv, effektivt, effektivitet, ineffektiv, ineffektivt, papirarbejde, godkendelse, godkendelser, regler, retningslinjer, koordinering, dokumentation, kaos, kaotisk, rod, afdelinger, administration`,
  },
};
