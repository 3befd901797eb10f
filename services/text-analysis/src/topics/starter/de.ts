import type { StarterWords } from './starter-words.ts';

export const DE: StarterWords = {
  management: {
    name: 'Führung durch Vorgesetzte',
    keywords: `Führung, Führungskraft, Führungskräfte, Führungsstil, Vorgesetzte, Vorgesetzter, Vorgesetzten, Chef, Chefs, Chefin, Chefinnen, Manager, Managerin, Teamleiter, Teamleiterin, Teamleitung,
      Abteilungsleiter, Abteilungsleiterin, Abteilungsleitung, Gruppenleiter, Gruppenleitung, Schichtleiter, Schichtleitung, Leitung, Leiter, Mikromanagement, Mitarbeitergespräch,
      Mitarbeitergespräche, Führungsebene, Boss, Meister, Bereichsleiter, Bereichsleitung`,
  },
  leadership: {
    name: 'Unternehmensleitung und Strategie',
    keywords: `Geschäftsführung, Geschäftsführer, Geschäftsleitung, Unternehmensleitung, Unternehmensführung, Vorstand, Vorstände, Management, Topmanagement, oberes Management, Führungsspitze,
      Strategie, Strategien, strategisch, Vision, Ausrichtung, Unternehmensziele, Ziele des Unternehmens, Kurs, Direktor, Direktoren, Zukunftsplan, Umstrukturierung, Umstrukturierungen,
      Restrukturierung, Leitbild, Prioritäten, die da oben, Unternehmenspolitik`,
  },
  pay: {
    name: 'Vergütung und Leistungen',
    keywords: `Gehalt, Gehälter, Gehaltserhöhung, Gehaltserhöhungen, Lohn, Löhne, Vergütung, Bezahlung, bezahlt, unterbezahlt, Entlohnung, Einkommen, Bonus, Boni, Prämie, Prämien, Zulage, Zulagen,
      Zuschlag, Zuschläge, Weihnachtsgeld, Urlaubsgeld, Sonderzahlung, Sozialleistungen, Zusatzleistungen, Benefits, Altersvorsorge, Betriebsrente, Firmenwagen, Dienstwagen, Jobticket, Tarif,
      Tarifvertrag, Geld, Inflationsausgleich, Provision, verdienen, verdient, Essenszuschuss, Vergünstigungen`,
  },
  workload: {
    name: 'Arbeitsbelastung',
    keywords: `Arbeitsbelastung, Belastung, belastet, Arbeitsmenge, Arbeitspensum, Pensum, überlastet, Überlastung, überarbeitet, Überstunden, Mehrarbeit, Stress, stressig, gestresst, Druck,
      Zeitdruck, Leistungsdruck, Termindruck, Arbeitsdruck, Fristen, Deadline, Deadlines, Personalmangel, unterbesetzt, Unterbesetzung, Personalbesetzung, zu wenig Personal, zu wenige Leute,
      zu viel Arbeit, zu viele Aufgaben, Hektik, hektisch, Auslastung, Kapazität, Kapazitäten, Personaldecke, Rückstände`,
  },
  communication: {
    name: 'Kommunikation',
    keywords: `Kommunikation, kommunizieren, kommuniziert, Information, Informationen, informiert, informieren, Informationsfluss, Transparenz, transparent, intransparent, Austausch,
      Rückmeldung, Rückmeldungen, Intranet, Newsletter, Mitteilung, Mitteilungen, Ankündigung, Ankündigungen, Betriebsversammlung, zuhören, zugehört, angehört, gehört werden, auf dem Laufenden,
      Besprechung, Besprechungen, Meeting, Meetings, E-Mails, Dialog, Absprache, Absprachen, Buschfunk, Flurfunk, offene Tür, Vorschläge, Feedback`,
  },
  career: {
    name: 'Karriere und Entwicklung',
    keywords: `Karriere, Karrieremöglichkeiten, Karrierechancen, Karriereweg, Karrierepfad, Entwicklungsmöglichkeiten, Entwicklungschancen, Entwicklungsperspektive, Aufstieg, Aufstiegschancen,
      Aufstiegsmöglichkeiten, aufsteigen, Beförderung, Beförderungen, befördert, Perspektive, Perspektiven, weiterentwickeln, Weiterentwicklung, persönliche Entwicklung, berufliche Entwicklung,
      Chancen, Stillstand, Sackgasse, nächster Schritt, interne Stellen, interner Wechsel, Laufbahn, Nachfolge, Entwicklungsplan, Zukunftsperspektive, Wachstum`,
  },
  learning: {
    name: 'Lernen und Weiterbildung',
    keywords: `Weiterbildung, Weiterbildungen, Weiterbildungsmöglichkeiten, Fortbildung, Fortbildungen, Schulung, Schulungen, geschult, Training, Trainings, Kurs, Kurse, Seminar, Seminare,
      Workshop, Workshops, Coaching, Coach, Mentor, Mentoring, lernen, dazulernen, gelernt, Lernangebot, Ausbildung, Einarbeitung, eingearbeitet, Onboarding, Qualifizierung, Qualifikation,
      Kenntnisse, Wissen, Zertifikat, Zertifizierung, E-Learning, Konferenz`,
  },
  team: {
    name: 'Team und Zusammenarbeit',
    keywords: `Team, Teams, Teamgeist, Teamarbeit, Teamwork, Kollege, Kollegen, Kollegin, Kolleginnen, Kollegium, kollegial, Kollegialität, Zusammenarbeit, zusammenarbeiten, Zusammenhalt,
      Miteinander, gegenseitige Hilfe, gegenseitige Unterstützung, helfen einander, hilfsbereit, Hilfsbereitschaft, Kameradschaft, Teambuilding, Teamevents, Zusammenspiel, Kooperation,
      Mitarbeiter untereinander, Silodenken, Abteilungsdenken, abteilungsübergreifend, Truppe, Mannschaft`,
  },
  tools: {
    name: 'Arbeitsmittel und IT',
    keywords: `Arbeitsmittel, Werkzeug, Tools, Tool, Ausstattung, Ausrüstung, Software, Hardware, Laptop, Laptops, Rechner, Computer, PC, Systeme, EDV, IT, IT-Support, Technik, technische Ausstattung,
      Technologie, Technologien, Maschine, Maschinen, Geräte, Drucker, VPN, Netzwerk, Internet, WLAN, Lizenzen, Programme, Anwendung, Anwendungen, Bildschirm, Bildschirme, Monitor, Monitore,
      Digitalisierung, Arbeitskleidung, veraltete Systeme`,
  },
  culture: {
    name: 'Kultur und Werte',
    keywords: `Kultur, Unternehmenskultur, Firmenkultur, Arbeitskultur, Fehlerkultur, Werte, Betriebsklima, Arbeitsklima, Klima, Arbeitsatmosphäre, Atmosphäre, Stimmung, Vertrauen, Respekt,
      respektvoll, respektlos, Wertesystem, Umgang, Umgangston, Umgang miteinander, Offenheit, Ehrlichkeit, Mobbing, toxisch, Intrigen, Lästern, Tratsch, Hierarchie, Hierarchien,
      hierarchisch, Schuldzuweisungen, Mentalität, Moral, Familiär, Machtspiele`,
  },
  fairness: {
    name: 'Fairness und Vielfalt',
    keywords: `fair, Fairness, unfair, gerecht, Gerechtigkeit, ungerecht, Ungerechtigkeit, Gleichbehandlung, gleich behandelt, Ungleichbehandlung, Gleichberechtigung, gleichberechtigt, Chancengleichheit,
      Vielfalt, Diversität, Diversity, Inklusion, inklusiv, Diskriminierung, diskriminiert, benachteiligt, Benachteiligung, bevorzugt, Bevorzugung, Vetternwirtschaft, Nasenfaktor, Vitamin B,
      Lieblinge, Frauen, Frauenquote, Geschlecht, Sexismus, Rassismus, Belästigung, Behinderung, Zweiklassengesellschaft`,
  },
  health: {
    name: 'Gesundheit und Balance',
    keywords: `Gesundheit, gesund, Gesundheitsförderung, Gesundheitsangebote, krank, Krankheit, Krankenstand, Krankmeldung, Wohlbefinden, Burnout, ausgebrannt, erschöpft, Erschöpfung, psychische Gesundheit,
      psychisch, Work-Life-Balance, Balance, Privatleben, Familienleben, Vereinbarkeit, Vereinbarkeit von Familie und Beruf, Familie, Ergonomie, ergonomisch, Schlaf, Erholung, Pausen, abschalten,
      Betriebsarzt, Rücken, Rückenschmerzen, Betriebssport, müde, Ausgleich, Arbeitsschutz`,
  },
  flexibility: {
    name: 'Flexibilität und Arbeitszeit',
    keywords: `flexibel, flexible, Flexibilität, Gleitzeit, Arbeitszeit, Arbeitszeiten, Arbeitszeitmodell, Vertrauensarbeitszeit, Homeoffice, Home-Office, mobiles Arbeiten, mobile Arbeit, Remote, hybrid,
      von zu Hause, Schicht, Schichten, Schichtarbeit, Schichtdienst, Schichtplan, Nachtschicht, Nachtschichten, Wochenendarbeit, Wochenenddienst, Dienstplan, Dienstpläne, Teilzeit, Vier-Tage-Woche,
      4-Tage-Woche, Urlaub, Urlaubstage, Urlaubsplanung, freie Tage, Elternzeit, Zeiterfassung, Kernzeit, Sabbatical`,
  },
  recognition: {
    name: 'Anerkennung',
    keywords: `Anerkennung, anerkannt, anerkennen, Wertschätzung, wertgeschätzt, wertschätzend, geschätzt, schätzen, Lob, gelobt, loben, Dank, Danke, Dankeschön, gedankt, gewürdigt, würdigen, Würdigung, honoriert,
      belohnt, Belohnung, Belohnungen, Auszeichnung, selbstverständlich genommen, gesehen werden, Leistung wird gesehen, Leistungen werden gesehen, nur eine Nummer, Beachtung`,
  },
  workplace: {
    name: 'Arbeitsplatz und Räume',
    keywords: `Büro, Büros, Großraumbüro, Arbeitsplatz, Arbeitsplätze, Arbeitsumgebung, Schreibtisch, Schreibtische, Lärm, Lautstärke, Kantine, Cafeteria, Küche, Teeküche, Essen, Kaffee, Parkplatz,
      Parkplätze, Klimaanlage, Heizung, Temperatur, Gebäude, Räume, Räumlichkeiten, Besprechungsräume, Toiletten, Sanitäranlagen, Umkleide, Standort, Anfahrt, Arbeitsweg, Pendeln, Möbel, Stühle,
      Beleuchtung, Sauberkeit, Pausenraum, Infrastruktur`,
  },
  work: {
    name: 'Aufgaben und Verantwortung',
    keywords: `Aufgabe, Aufgaben, Aufgabenbereich, Aufgabengebiet, Tätigkeit, Tätigkeiten, Arbeitsinhalt, Arbeitsinhalte, sinnvoll, sinnvolle Arbeit, Sinn, abwechslungsreich, Abwechslung, vielfältig, spannend,
      spannende Projekte, interessante Projekte, Projekt, Projekte, herausfordernd, Herausforderung, Herausforderungen, langweilig, eintönig, monoton, Verantwortung, Eigenverantwortung, eigenverantwortlich,
      selbstständig, selbständig, Selbstständigkeit, Freiraum, Freiräume, Gestaltungsspielraum, Entscheidungsspielraum, Entscheidungsfreiheit, Autonomie, Kreativität, Mitbestimmung`,
  },
  security: {
    name: 'Sicherheit der Stelle',
    keywords: `Arbeitsplatzsicherheit, sicherer Arbeitsplatz, sichere Arbeitsplätze, sicherer Job, Jobsicherheit, Stellenabbau, Personalabbau, Kündigung, Kündigungen, gekündigt, entlassen, Entlassung,
      Entlassungen, befristet, Befristung, befristete Verträge, unbefristet, Festanstellung, Leiharbeit, Zeitarbeit, Fluktuation, Kurzarbeit, Standortschließung, Outsourcing, Verlagerung, Stabilität, stabil,
      Unsicherheit, Zukunftsangst, Existenzangst, krisensicher, Insolvenz, Beschäftigungssicherheit`,
  },
  processes: {
    name: 'Abläufe und Organisation',
    keywords: `Prozess, Prozesse, Ablauf, Abläufe, Arbeitsabläufe, Arbeitsablauf, Bürokratie, bürokratisch, Organisation, organisiert, unorganisiert, desorganisiert, Struktur, Strukturen, strukturiert,
      Planung, geplant, Effizienz, effizient, ineffizient, Papierkram, Genehmigung, Genehmigungen, Freigabe, Freigaben, Richtlinien, Vorschriften, Regeln, Koordination, Abstimmung, Schnittstellen,
      Zuständigkeit, Zuständigkeiten, Entscheidungswege, Entscheidungsprozesse, Verwaltung, Dokumentation, Chaos, chaotisch, Abteilungen`,
  },
};
