import type { Phrases } from './phrases.ts';

export const DE: Phrases = {
  themes: {
    management: {
      positive: [
        'Meine Führungskraft hört zu und hält, was wir vereinbaren.',
        'Entscheidungen werden gut erklärt, auch die unbequemen.',
        'Ich bekomme jede Woche ehrliches Feedback.',
      ],
      neutral: ['Mein Chef hat im Frühjahr gewechselt, das kann ich noch nicht beurteilen.'],
      negative: [
        'Über unsere Köpfe hinweg wird entschieden, und niemand sagt warum.',
        'Jedes zweite Mitarbeitergespräch fällt aus.',
        'Die Leitung ändert die Prioritäten jeden Monat.',
      ],
    },
    pay: {
      positive: [
        'Die Prämie war dieses Jahr fair und kam pünktlich.',
        'Mein Gehalt passt zu dem, was ich leiste.',
        'Die betriebliche Altersvorsorge ist wirklich gut.',
      ],
      neutral: ['Das Gehalt ist ungefähr so wie bei anderen Firmen in der Gegend.'],
      negative: [
        'Neue Kollegen verdienen mehr als Leute, die seit Jahren hier sind.',
        'Die Erhöhung deckt nicht einmal die gestiegene Miete.',
        'Überstunden werden zu spät bezahlt.',
      ],
    },
    workload: {
      positive: [
        'Der neue Schichtplan lässt uns Luft zum Atmen.',
        'Seit wir wieder vollzählig sind, ist die Arbeit gut zu schaffen.',
        'Ich werde mit meinen Aufgaben fertig, ohne abends zu arbeiten.',
      ],
      neutral: ['Manche Wochen sind ruhig, manche voll.'],
      negative: [
        'Uns fehlen zwei Leute und alles bleibt an denselben hängen.',
        'Termine werden gesetzt, ohne die zu fragen, die sie einhalten müssen.',
        'Ich habe seit Wochen keine richtige Pause gemacht.',
      ],
    },
    team: {
      positive: [
        'Wegen meines Teams bleibe ich hier.',
        'Man hilft sich, ohne dass jemand fragen muss.',
        'Neue werden freundlich aufgenommen und eingearbeitet.',
      ],
      neutral: ['Jeder arbeitet eher für sich, das ist für mich in Ordnung.'],
      negative: [
        'Früh- und Nachtschicht reden kaum miteinander.',
        'Im Team gibt es zwei Lager, das vergiftet die Stimmung.',
        'Wenn etwas schiefgeht, wird zuerst ein Schuldiger gesucht.',
      ],
    },
    tools: {
      positive: [
        'Die neuen Scanner sparen uns eine Stunde am Tag.',
        'Mein Laptop wurde schnell ersetzt und alles lief.',
        'Das Ticketsystem ist einfach und schnell.',
      ],
      neutral: ['Die Software tut ihren Dienst, nicht mehr und nicht weniger.'],
      negative: [
        'Das System hängt mehrmals am Tag und keiner behebt es.',
        'Wir tippen dieselben Zahlen noch immer in drei Programme.',
        'Morgens gibt es zu wenig Stapler.',
      ],
    },
    growth: {
      positive: [
        'Ich durfte den Schweißkurs machen, um den ich gebeten hatte.',
        'Der Weg zur nächsten Stufe ist klar.',
        'Im Mentoring habe ich viel gelernt.',
      ],
      neutral: ['In den Schulungskatalog habe ich noch nicht geschaut.'],
      negative: [
        'Für Weiterbildung ist Jahr für Jahr kein Budget da.',
        'Ich mache seit sechs Jahren dasselbe und sehe keinen nächsten Schritt.',
        'Befördert wird, wer am lautesten ist.',
      ],
    },
    communication: {
      positive: [
        'Das wöchentliche Update ist kurz und sagt das Wichtige.',
        'Von der Umstrukturierung haben wir früh und aus erster Hand erfahren.',
        'Bei der Betriebsversammlung ist Platz für echte Fragen.',
      ],
      neutral: ['Den Newsletter lese ich ab und zu.'],
      negative: [
        'Von Kunden erfahren wir, was unsere eigene Firma angekündigt hat.',
        'Wichtiges geht in einer Flut von E-Mails unter.',
        'Niemand hat uns gesagt, warum das Projekt gestoppt wurde.',
      ],
    },
    flexibility: {
      positive: [
        'Zwei Tage Homeoffice machen das Familienleben möglich.',
        'Schichten zu tauschen ist einfach und keiner murrt.',
        'Nach der Elternzeit konnte ich problemlos Stunden reduzieren.',
      ],
      neutral: ['Homeoffice kommt bei meiner Arbeit nicht infrage.'],
      negative: [
        'Homeoffice hängt von der Laune des Vorgesetzten ab.',
        'Urlaubsanträge werden zwei Wochen vorher beantwortet.',
        'Die Kernzeit ist mit einem kleinen Kind nicht zu schaffen.',
      ],
    },
  },
  endings: ['Danke, dass gefragt wird.', 'Hoffentlich liest das jemand.', 'Sonst bin ich zufrieden.', 'Weiter so.'],
  mentions: [
    'Besonders {name} macht einen großartigen Job.',
    'Ich habe deswegen an {email} geschrieben und keine Antwort bekommen.',
    'Ich habe {name} gebeten, mich unter {phone} zurückzurufen, vergeblich.',
  ],
};
