type Language = 'de' | 'en' | 'es' | 'fr' | 'nl';

/** Comma-separated keywords of topics that are narrower than a starter topic. */
export const NARROW_TOPICS: readonly Readonly<Record<Language, string>>[] = [
  {
    en: 'canteen, cafeteria, canteens, food, lunch, lunches, meal, meals, breakfast, coffee, snacks, vending machine, kitchen, menu',
    de: 'Kantine, Kantinen, Essen, Mittagessen, Kantinenessen, Verpflegung, Frühstück, Kaffee, Kaffeemaschine, Snacks, Getränke, Küche, Speiseplan',
    es: 'comedor, cantina, cafetería, comida, comidas, almuerzo, desayuno, café, máquina de café, menú, cocina, bebidas',
    fr: 'cantine, cantines, restaurant d’entreprise, repas, déjeuner, nourriture, petit-déjeuner, café, machine à café, menu, cuisine, boissons',
    nl: 'kantine, kantines, bedrijfsrestaurant, eten, lunch, maaltijd, maaltijden, ontbijt, koffie, koffieautomaat, snacks, keuken, drinken',
  },
  {
    en: 'parking, car park, parking space, parking spaces, commute, commuting, travel time, public transport, train, bus, bike, traffic, shuttle',
    de: 'Parkplatz, Parkplätze, Parken, Parkhaus, Arbeitsweg, Pendeln, Anfahrt, Fahrzeit, Nahverkehr, Bahn, Bus, Fahrrad, Stau, Jobticket',
    es: 'aparcamiento, parking, estacionamiento, aparcar, desplazamiento, trayecto, transporte público, tren, autobús, bicicleta, tráfico, atasco',
    fr: 'parking, stationnement, place de parking, places de parking, trajet, trajets, transport, transports en commun, train, bus, vélo, embouteillages, navette',
    nl: 'parkeren, parkeerplaats, parkeerplaatsen, woon-werkverkeer, reistijd, reizen, openbaar vervoer, trein, bus, fiets, file, files',
  },
  {
    en: 'safety, safe, unsafe, accident, accidents, injury, injuries, hazard, hazards, hazardous, protective equipment, helmet, first aid, fire drill',
    de: 'Arbeitssicherheit, Arbeitsschutz, Sicherheit, Unfall, Unfälle, Arbeitsunfall, Verletzung, Verletzungen, gefährlich, Gefahr, Gefahren, Schutzkleidung, Helm, Erste Hilfe',
    es: 'seguridad laboral, seguridad, accidente, accidentes, lesión, lesiones, peligro, peligroso, peligros, prevención, equipo de protección, casco, primeros auxilios',
    fr: 'sécurité, sécurité au travail, accident, accidents, blessure, blessures, danger, dangers, dangereux, équipement de protection, casque, premiers secours',
    nl: 'veiligheid, veilig, onveilig, ongeluk, ongelukken, ongeval, letsel, gevaar, gevaarlijk, beschermingsmiddelen, helm, EHBO, BHV',
  },
  {
    en: 'onboarding, induction, first day, first days, first week, first weeks, new starters, new joiners, newcomers, probation',
    de: 'Einarbeitung, Onboarding, eingearbeitet, erster Tag, erste Woche, ersten Wochen, Probezeit, neue Kollegen, neue Mitarbeiter, Willkommen',
    es: 'incorporación, acogida, onboarding, primer día, primera semana, primeras semanas, período de prueba, nuevas incorporaciones, bienvenida',
    fr: 'intégration, accueil, onboarding, premier jour, première semaine, premières semaines, période d’essai, nouveaux arrivants, nouveaux collègues',
    nl: 'inwerken, inwerkperiode, ingewerkt, onboarding, eerste dag, eerste week, eerste weken, proeftijd, nieuwe collega’s, nieuwkomers',
  },
  {
    en: 'remote work, remote, remotely, home office, working from home, work from home, wfh, telework, teleworking, hybrid, hybrid work',
    de: 'Homeoffice, Home-Office, mobiles Arbeiten, mobile Arbeit, remote, von zu Hause, von zuhause, Telearbeit, hybrid, hybrides Arbeiten',
    es: 'teletrabajo, teletrabajar, trabajo remoto, remoto, desde casa, híbrido, trabajo híbrido, oficina en casa',
    fr: 'télétravail, télétravailler, à distance, travail à distance, depuis la maison, hybride, travail hybride, home office',
    nl: 'thuiswerken, thuiswerk, thuis werken, vanuit huis, op afstand, hybride, hybride werken, thuiswerkdagen',
  },
  {
    en: 'overtime, shift, shifts, shift work, night shift, nightshift, rota, roster, schedule, schedules, rostering, weekend work',
    de: 'Überstunden, Mehrarbeit, Schicht, Schichten, Schichtarbeit, Nachtschicht, Dienstplan, Dienstpläne, Schichtplan, Schichtpläne, Wochenendarbeit',
    es: 'horas extra, horas extras, turno, turnos, turno de noche, turnos rotativos, horario, horarios, cuadrante, fines de semana',
    fr: 'heures supplémentaires, équipe de nuit, travail de nuit, postes, travail posté, planning, plannings, horaires, horaires décalés, week-ends',
    nl: 'overuren, overwerk, dienst, diensten, nachtdienst, ploegendienst, rooster, roosters, inroosteren, weekenddienst, werktijden',
  },
  {
    en: 'diversity, inclusion, inclusive, equality, equal opportunities, discrimination, discriminated, sexism, racism, gender, gender pay gap, women in leadership, harassment',
    de: 'Diversität, Vielfalt, Inklusion, inklusiv, Gleichstellung, Gleichberechtigung, Chancengleichheit, Diskriminierung, diskriminiert, Sexismus, Rassismus, Frauenquote, Belästigung',
    es: 'diversidad, inclusión, inclusivo, igualdad, igualdad de oportunidades, discriminación, discriminado, sexismo, racismo, género, brecha salarial, acoso',
    fr: 'diversité, inclusion, inclusif, égalité, égalité des chances, discrimination, discriminé, sexisme, racisme, parité, mixité, harcèlement',
    nl: 'diversiteit, inclusie, inclusief, gelijkheid, gelijke kansen, discriminatie, gediscrimineerd, seksisme, racisme, gender, loonkloof, intimidatie',
  },
  {
    en: 'IT, software, hardware, laptop, laptops, computer, computers, system, systems, internet, network, wifi, helpdesk, apps, printer, vpn',
    de: 'IT, EDV, Software, Hardware, Laptop, Laptops, Computer, Rechner, PC, System, Systeme, Internet, Netzwerk, WLAN, Helpdesk, Drucker, Programme, VPN',
    es: 'informática, software, hardware, portátil, portátiles, ordenador, ordenadores, sistema, sistemas, internet, red, wifi, programas, impresora, VPN',
    fr: 'informatique, logiciel, logiciels, matériel informatique, ordinateur, ordinateurs, PC, système, systèmes, internet, réseau, wifi, imprimante, VPN',
    nl: 'IT, ICT, software, hardware, laptop, laptops, computer, computers, systeem, systemen, internet, netwerk, wifi, helpdesk, printer, programma’s, VPN',
  },
  {
    en: 'noise, noisy, loud, open-plan, open plan office, temperature, heating, air conditioning, cold, hot, ventilation, lighting, air',
    de: 'Lärm, laut, Lautstärke, Großraumbüro, Temperatur, Heizung, Klimaanlage, kalt, heiß, Lüftung, Beleuchtung, Licht, Luft',
    es: 'ruido, ruidoso, ruidosa, oficina abierta, temperatura, calefacción, aire acondicionado, frío, calor, ventilación, iluminación, luz',
    fr: 'bruit, bruyant, bruyante, open space, température, chauffage, climatisation, froid, chaud, chaleur, ventilation, éclairage, lumière',
    nl: 'lawaai, lawaaierig, geluid, herrie, kantoortuin, temperatuur, verwarming, airco, airconditioning, koud, warm, ventilatie, verlichting',
  },
  {
    en: 'meeting, meetings, calls, conference, appointments, agenda, calendar, stand-up, video calls',
    de: 'Meeting, Meetings, Besprechung, Besprechungen, Sitzung, Sitzungen, Termine, Kalender, Videokonferenz, Videokonferenzen, Jour fixe',
    es: 'reunión, reuniones, videollamada, videollamadas, videoconferencia, agenda, calendario, juntas',
    fr: 'réunion, réunions, visioconférence, visio, visios, agenda, calendrier, points hebdomadaires',
    nl: 'vergadering, vergaderingen, vergaderen, meeting, meetings, overleg, overleggen, videogesprek, agenda',
  },
  {
    en: 'holiday, holidays, vacation, vacation days, annual leave, leave, days off, time off, pto, sick leave, parental leave',
    de: 'Urlaub, Urlaubstage, Urlaubsplanung, freie Tage, Ferien, Elternzeit, Krankheitstage, Krankmeldung, Sonderurlaub, Brückentage',
    es: 'vacaciones, días libres, días de vacaciones, permiso, permisos, baja, bajas, festivos, puente, permiso parental',
    fr: 'congé, congés, vacances, jours de congé, RTT, jours de repos, arrêt maladie, congé parental, ponts',
    nl: 'vakantie, vakantiedagen, verlof, verlofdagen, vrije dagen, snipperdag, ziekteverlof, ouderschapsverlof, feestdagen',
  },
  {
    en: 'childcare, nursery, daycare, family, families, children, kids, parents, parental leave, school holidays, part-time, part time',
    de: 'Kinderbetreuung, Kita, Kitaplatz, Familie, Familien, Kinder, Eltern, Elternzeit, Vereinbarkeit, Teilzeit, Schulferien',
    es: 'guardería, conciliación, familia, familias, hijos, niños, padres, permiso parental, jornada reducida, media jornada',
    fr: 'crèche, garde d’enfants, famille, familles, enfants, parents, congé parental, temps partiel, vacances scolaires',
    nl: 'kinderopvang, opvang, crèche, gezin, gezinnen, kinderen, ouders, ouderschapsverlof, deeltijd, parttime, schoolvakanties',
  },
];
