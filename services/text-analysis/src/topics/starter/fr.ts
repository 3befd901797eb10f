import type { StarterWords } from './starter-words.ts';

export const FR: StarterWords = {
  management: {
    name: 'Management',
    keywords: `management, manager, managers, manageur, manageurs, manageuse, managérial, chef, chefs, cheffe, chef d'équipe, responsable, responsables, supérieur, supérieurs, supérieur hiérarchique,
      encadrement, encadrant, encadrants, superviseur, superviseurs, N+1, hiérarchie, micro-management, micromanagement, entretien annuel, entretiens individuels, chef de service, patron, patrons, cadre, cadres,
      chef de rayon, chefs de rayon`,
  },
  leadership: {
    name: 'Direction et stratégie',
    keywords: `direction, direction générale, dirigeant, dirigeants, comité de direction, comité exécutif, CODIR, PDG, DG, conseil d'administration, directeur, directeurs, directrice, leadership, stratégie,
      stratégies, stratégique, vision, cap, orientation, orientations, objectifs de l'entreprise, priorités, réorganisation, restructuration, haute direction, siège, plan stratégique, avenir de l'entreprise, gouvernance`,
  },
  pay: {
    name: 'Rémunération et avantages',
    keywords: `salaire, salarial, salariale, rémunération, rémunérations, rémunéré, paie, paye, payé, payés, mal payé, sous-payé, prime, primes, bonus, augmentation, augmentations, avantages,
      avantages sociaux, mutuelle, tickets restaurant, ticket restaurant, treizième mois, 13e mois, intéressement, participation aux bénéfices, retraite, épargne, argent, heures supplémentaires payées, voiture de fonction,
      comité d'entreprise, CSE, commission, commissions, indemnité, indemnités, pouvoir d'achat, grille salariale, gagner plus`,
  },
  workload: {
    name: 'Charge de travail',
    keywords: `charge de travail, surcharge, surchargé, surchargés, débordé, débordés, surmenage, sous-effectif, effectif, effectifs, manque de personnel, manque d'effectifs, stress, stressant, stressé, pression,
      délai, délais, deadline, deadlines, échéances, heures supplémentaires, trop de travail, trop de tâches, quantité de travail, rythme, cadence, cadences, rythme de travail, urgences, intensité,
      objectifs irréalistes, volume de travail, remplacements`,
  },
  communication: {
    name: 'Communication',
    keywords: `communication, communiquer, communique, communiqué, communiquent, information, informations, informé, informés, informer, transparence, transparent, opaque, circulation de l'information, écoute, écouter,
      écouté, écoutés, à l'écoute, retour, retours, feedback, dialogue, échange, échanges, intranet, newsletter, annonce, annonces, réunion, réunions, mails, e-mails, courriels, au courant, bruits de couloir,
      suggestions, concertation`,
  },
  career: {
    name: 'Carrière et évolution',
    keywords: `carrière, carrières, évolution, évolutions, évoluer, évolution de carrière, évolution professionnelle, perspective, perspectives, perspectives d'évolution, promotion, promotions, promu, promus, avancement,
      progression, progresser, mobilité interne, mobilité, opportunité, opportunités, plan de carrière, parcours professionnel, stagnation, stagner, voie sans issue, ascension, prochaine étape, développement professionnel,
      postes à pourvoir, grandir, possibilités d'évolution`,
  },
  learning: {
    name: 'Formation',
    keywords: `formation, formations, former, formé, formés, formateur, formateurs, apprendre, apprends, appris, apprentissage, apprentissages, atelier de formation, séminaire, séminaires, coaching, coach, mentor, mentorat,
      tutorat, tuteur, compétence, compétences, connaissances, savoir-faire, certification, certifications, intégration, parcours d'intégration, accueil des nouveaux, e-learning, onboarding, conférences,
      montée en compétences, perfectionnement`,
  },
  team: {
    name: 'Équipe et collègues',
    keywords: `équipe, équipes, esprit d'équipe, travail d'équipe, collègue, collègues, collaborateurs, collaboration, collaborer, coopération, coopérer, entraide, s'entraider, solidarité, solidaire, solidaires, cohésion,
      collectif, camaraderie, convivialité, travailler ensemble, team building, binôme, soutien mutuel, bonne entente, entente, esprit de groupe, cloisonnement, silos, interservices, relations entre collègues`,
  },
  tools: {
    name: 'Outils et équipement',
    keywords: `outil, outils, outillage, équipement, équipements, matériel, matériels, logiciel, logiciels, informatique, ordinateur, ordinateurs, PC, portable, système, systèmes, systèmes informatiques, support informatique,
      technologie, technologies, machine, machines, imprimante, imprimantes, VPN, réseau, internet, wifi, licences, application, applications, écran, écrans, numérique, digitalisation, vêtements de travail, appareils, bugs`,
  },
  culture: {
    name: 'Culture et valeurs',
    keywords: `culture, culture d'entreprise, valeur, valeurs, ambiance, ambiance de travail, atmosphère, climat, climat social, climat de travail, confiance, respect, respectueux, respecté, irrespect, manque de respect,
      mentalité, éthique, intégrité, honnêteté, honnête, toxique, harcèlement moral, commérages, ragots, rumeurs, politique interne, jeux de pouvoir, bienveillance, bienveillant, humain, esprit familial, familiale,
      convivial, état d'esprit, hypocrisie`,
  },
  fairness: {
    name: 'Équité et diversité',
    keywords: `équité, équitable, équitables, inéquitable, injuste, injustes, injustice, injustices, justice, égalité, égalité hommes-femmes, égalité de traitement, inégalité, inégalités, diversité, inclusion, inclusif,
      discrimination, discriminations, discriminé, favoritisme, favoris, favorisés, copinage, piston, népotisme, parité, femmes, sexisme, racisme, harcèlement, handicap, partialité, traitement inégal, deux poids deux mesures,
      égalité des chances`,
  },
  health: {
    name: 'Santé et équilibre',
    keywords: `santé, santé mentale, bien-être, bien-être au travail, mal-être, burn-out, burnout, épuisement, épuisé, épuisés, épuisant, fatigue, fatigué, fatigant, équilibre, équilibre vie privée,
      équilibre vie professionnelle, vie privée, vie personnelle, vie de famille, famille, arrêt maladie, arrêts maladie, maladie, malade, ergonomie, ergonomique, mal de dos, sommeil, déconnexion, déconnecter, pauses,
      médecine du travail, qualité de vie, QVT, repos, sport`,
  },
  flexibility: {
    name: 'Flexibilité et temps de travail',
    keywords: `flexibilité, flexible, flexibles, souplesse, horaire, horaires, horaires flexibles, horaires de travail, temps de travail, télétravail, télétravailler, à distance, distanciel, hybride, planning, plannings,
      emploi du temps, roulement, équipe de nuit, travail de nuit, nuits, week-end, week-ends, travail le dimanche, temps partiel, semaine de quatre jours, congé, congés, vacances, RTT, jours de repos, jours off, congé parental,
      amplitude horaire, poste de nuit, badgeage, 35 heures`,
  },
  recognition: {
    name: 'Reconnaissance',
    keywords: `reconnaissance, reconnu, reconnus, reconnue, reconnaître, valorisé, valorisés, valorisée, valorisation, valoriser, dévalorisé, apprécié, appréciés, considération, considéré, considérés, remerciement, remerciements,
      remercier, remercié, merci, félicitations, féliciter, félicité, gratitude, récompense, récompenses, récompensé, mérite, mérité, encouragement, encouragements, encouragé, éloges, simple numéro, efforts reconnus, gratifiant`,
  },
  workplace: {
    name: 'Lieu de travail',
    keywords: `bureau, bureaux, open space, open-space, lieu de travail, environnement de travail, espace de travail, poste de travail, bruit, bruyant, cantine, cafétéria, restaurant d'entreprise, cuisine, café, repas, parking,
      stationnement, climatisation, chauffage, température, bâtiment, bâtiments, locaux, salle de réunion, salles de réunion, salle de pause, toilettes, sanitaires, vestiaires, mobilier, chaises, éclairage, propreté,
      trajet, trajets, transports, emplacement, infrastructure, sécurité au travail`,
  },
  work: {
    name: 'Missions et responsabilités',
    keywords: `mission, tâche, tâches, mon travail, mon poste, contenu du travail, sens, sens du travail, travail intéressant, intéressant, intéressante, passionnant, varié, variée, variées, variété, diversité des tâches, défi,
      défis, challenge, challenges, challengeant, ennuyeux, monotone, répétitif, répétitives, autonomie, autonome, indépendance, liberté, responsabilité, responsabilités, prise de décision, initiative, initiatives, projet,
      projets, créativité, métier, polyvalence`,
  },
  security: {
    name: "Sécurité de l'emploi",
    keywords: `sécurité de l'emploi, stabilité, stable, emploi stable, licenciement, licenciements, licencié, licenciés, plan social, suppression de postes, suppressions de postes, suppressions d'emplois, précarité, précaire, précaires,
      CDD, CDI, contrat, contrats, contrats courts, intérim, intérimaire, intérimaires, turnover, turn-over, délocalisation, externalisation, fermeture du site, fermeture de site, incertitude, perdre mon emploi, chômage, chômage partiel,
      pérennité, insécurité`,
  },
  processes: {
    name: 'Processus et organisation',
    keywords: `processus, procédure, procédures, process, bureaucratie, bureaucratique, lourdeur administrative, lourdeurs, organisation, organisé, organisée, désorganisé, désorganisation, structure, structures, planification,
      efficacité, efficace, inefficace, paperasse, administratif, validation, validations, règles, règlement, coordination, répartition des tâches, circuits de décision, prise de décision lente, chaos, chaotique,
      entre les services, logistique, méthodes de travail, flux de travail`,
  },
};
