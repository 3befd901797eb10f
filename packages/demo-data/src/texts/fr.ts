import type { Phrases } from './phrases.ts';

export const FR: Phrases = {
  themes: {
    management: {
      positive: [
        'Mon responsable écoute et tient ses engagements.',
        'Les décisions sont bien expliquées, même les plus difficiles.',
        'Je reçois chaque semaine un retour honnête sur mon travail.',
      ],
      neutral: ['Mon responsable a changé au printemps, il est trop tôt pour juger.'],
      negative: [
        'Tout se décide sans nous et personne n’explique pourquoi.',
        'Un entretien sur deux est annulé.',
        'La direction change de priorités chaque mois.',
      ],
    },
    pay: {
      positive: [
        'La prime de cette année était juste et versée à temps.',
        'Mon salaire correspond à ce que je fais.',
        'La mutuelle et l’épargne retraite sont vraiment bien.',
      ],
      neutral: ['Le salaire est à peu près celui des autres entreprises de la région.'],
      negative: [
        'Les nouveaux gagnent plus que ceux qui sont là depuis des années.',
        'L’augmentation ne couvre même pas la hausse du loyer.',
        'Les heures supplémentaires sont payées en retard.',
      ],
    },
    workload: {
      positive: [
        'Le nouveau planning nous laisse enfin respirer.',
        'La charge de travail est raisonnable depuis que l’équipe est au complet.',
        'Je termine mes tâches sans travailler le soir.',
      ],
      neutral: ['Certaines semaines sont calmes, d’autres bien remplies.'],
      negative: [
        'Il manque deux personnes et tout retombe sur les mêmes.',
        'Les délais sont fixés sans consulter ceux qui doivent les tenir.',
        'Je n’ai pas pris de vraie pause depuis des semaines.',
      ],
    },
    team: {
      positive: [
        'C’est grâce à mon équipe que je reste.',
        'Ici on s’entraide sans qu’il faille demander.',
        'Les nouveaux sont bien accueillis.',
      ],
      neutral: ['Chacun travaille plutôt de son côté, cela me convient.'],
      negative: [
        'L’équipe de jour et celle de nuit ne se parlent presque pas.',
        'Il y a deux clans et l’ambiance en souffre.',
        'Quand quelque chose échoue, on cherche d’abord un coupable.',
      ],
    },
    tools: {
      positive: [
        'Les nouveaux lecteurs nous font gagner une heure par jour.',
        'Mon ordinateur a été remplacé rapidement et tout fonctionnait.',
        'L’outil de tickets est simple et rapide.',
      ],
      neutral: ['Le logiciel fait ce qu’il doit, ni plus ni moins.'],
      negative: [
        'Le système se bloque plusieurs fois par jour et personne ne répare.',
        'Nous saisissons toujours les mêmes chiffres dans trois logiciels.',
        'Le matin, il n’y a pas assez de chariots élévateurs.',
      ],
    },
    growth: {
      positive: [
        'J’ai pu suivre la formation que j’avais demandée.',
        'Le chemin vers le niveau suivant est clair.',
        'Le mentorat m’a beaucoup appris.',
      ],
      neutral: ['Je n’ai pas encore regardé le catalogue de formations.'],
      negative: [
        'Année après année, il n’y a pas de budget pour la formation.',
        'Je fais le même travail depuis six ans sans perspective.',
        'Les promotions vont à ceux qui parlent le plus fort.',
      ],
    },
    communication: {
      positive: [
        'Le point hebdomadaire est court et va à l’essentiel.',
        'Nous avons appris la réorganisation tôt et par les bonnes personnes.',
        'Les réunions générales laissent la place aux vraies questions.',
      ],
      neutral: ['Je lis la lettre interne de temps en temps.'],
      negative: [
        'Ce sont les clients qui nous apprennent les annonces de notre entreprise.',
        'Les informations importantes se perdent dans un flot de courriels.',
        'Personne ne nous a dit pourquoi le projet a été arrêté.',
      ],
    },
    flexibility: {
      positive: [
        'Deux jours de télétravail rendent la vie de famille possible.',
        'Échanger un poste est facile et personne ne se plaint.',
        'J’ai pu réduire mes heures après le congé parental sans difficulté.',
      ],
      neutral: ['Le télétravail ne s’applique pas à mon poste.'],
      negative: [
        'Le télétravail dépend de l’humeur du chef.',
        'Les congés sont validés deux semaines avant la date.',
        'Les horaires imposés sont intenables avec un petit enfant.',
      ],
    },
  },
  endings: ['Merci de poser la question.', 'J’espère que quelqu’un lira ceci.', 'Sinon, je suis content.', 'Continuez ainsi.'],
  mentions: [
    '{name} en particulier fait un travail remarquable.',
    'J’ai écrit à {email} à ce sujet, sans réponse.',
    'J’ai demandé à {name} de me rappeler au {phone}, en vain.',
  ],
};
