import type { Phrases } from './phrases.ts';

export const NL: Phrases = {
  themes: {
    management: {
      positive: [
        'Mijn leidinggevende luistert en komt afspraken na.',
        'Besluiten worden goed uitgelegd, ook de lastige.',
        'Ik krijg elke week eerlijke feedback.',
      ],
      neutral: ['Mijn leidinggevende is in het voorjaar gewisseld, het is te vroeg om te oordelen.'],
      negative: [
        'Er wordt over onze hoofden heen beslist en niemand legt uit waarom.',
        'De helft van de gesprekken met mijn leidinggevende gaat niet door.',
        'De directie verandert elke maand van prioriteiten.',
      ],
    },
    pay: {
      positive: [
        'De bonus was dit jaar eerlijk en op tijd.',
        'Mijn salaris past bij wat ik doe.',
        'De pensioenregeling is echt goed.',
      ],
      neutral: ['Het salaris is ongeveer zoals bij andere bedrijven in de buurt.'],
      negative: [
        'Nieuwe collega’s verdienen meer dan mensen die hier al jaren werken.',
        'De verhoging dekt niet eens de hogere huur.',
        'Overuren worden te laat betaald.',
      ],
    },
    workload: {
      positive: [
        'Het nieuwe rooster geeft ons lucht.',
        'De werkdruk is goed te doen sinds we weer compleet zijn.',
        'Ik krijg mijn werk af zonder ’s avonds door te gaan.',
      ],
      neutral: ['Sommige weken zijn rustig, andere vol.'],
      negative: [
        'We komen twee mensen tekort en alles komt bij dezelfden terecht.',
        'Deadlines worden gesteld zonder te vragen wie ze moet halen.',
        'Ik heb al weken geen echte pauze gehad.',
      ],
    },
    team: {
      positive: [
        'Mijn team is de reden dat ik blijf.',
        'Mensen helpen elkaar hier zonder dat iemand het vraagt.',
        'Nieuwe collega’s worden warm ontvangen.',
      ],
      neutral: ['Iedereen werkt vooral voor zichzelf, dat vind ik prima.'],
      negative: [
        'De dagdienst en de nachtdienst praten nauwelijks met elkaar.',
        'Er zijn twee kampen in het team en dat verpest de sfeer.',
        'Als er iets misgaat, wordt eerst een schuldige gezocht.',
      ],
    },
    tools: {
      positive: [
        'De nieuwe scanners besparen ons een uur per dag.',
        'Mijn laptop werd snel vervangen en alles werkte.',
        'Het ticketsysteem is eenvoudig en snel.',
      ],
      neutral: ['De software doet wat hij moet doen, niet meer en niet minder.'],
      negative: [
        'Het systeem loopt meerdere keren per dag vast en niemand lost het op.',
        'We typen dezelfde getallen nog steeds in drie programma’s.',
        'In de ochtend zijn er te weinig heftrucks.',
      ],
    },
    growth: {
      positive: [
        'Ik mocht de cursus volgen waar ik om had gevraagd.',
        'De weg naar het volgende niveau is duidelijk.',
        'Van het mentorprogramma heb ik veel geleerd.',
      ],
      neutral: ['Ik heb nog niet in de opleidingscatalogus gekeken.'],
      negative: [
        'Er is jaar na jaar geen budget voor opleidingen.',
        'Ik doe al zes jaar hetzelfde en zie geen volgende stap.',
        'Wie het hardst roept, krijgt promotie.',
      ],
    },
    communication: {
      positive: [
        'De wekelijkse update is kort en zegt wat belangrijk is.',
        'We hoorden vroeg en van de juiste mensen over de reorganisatie.',
        'Tijdens de bijeenkomsten is er ruimte voor echte vragen.',
      ],
      neutral: ['De nieuwsbrief lees ik af en toe.'],
      negative: [
        'Van klanten horen we wat ons eigen bedrijf heeft aangekondigd.',
        'Belangrijk nieuws verdwijnt in een stroom e-mails.',
        'Niemand vertelde ons waarom het project is gestopt.',
      ],
    },
    flexibility: {
      positive: [
        'Twee dagen thuiswerken maakt het gezinsleven mogelijk.',
        'Een dienst ruilen is makkelijk en niemand klaagt.',
        'Na mijn ouderschapsverlof kon ik zonder gedoe minder gaan werken.',
      ],
      neutral: ['Thuiswerken kan niet in mijn functie.'],
      negative: [
        'Thuiswerken hangt af van het humeur van de leidinggevende.',
        'Vakantie wordt pas twee weken van tevoren goedgekeurd.',
        'De vaste tijden zijn niet te doen met een klein kind.',
      ],
    },
  },
  endings: ['Fijn dat jullie het vragen.', 'Hopelijk leest iemand dit.', 'Verder ben ik tevreden.', 'Ga zo door.'],
  mentions: [
    'Vooral {name} doet geweldig werk.',
    'Ik heb hierover naar {email} geschreven en geen antwoord gekregen.',
    'Ik vroeg {name} om mij terug te bellen op {phone}, zonder succes.',
  ],
};
