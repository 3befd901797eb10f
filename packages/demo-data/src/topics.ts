import type { WrittenLine } from '@survey/bus/lines/line.ts';
import { THEMES, type Theme } from './texts/phrases.ts';

interface Topic {
  name: string;
  description: string;
  keywords: Record<string, string[]>;
}

const TOPICS: Readonly<Record<Theme, Topic>> = {
  management: {
    name: 'Leadership',
    description: 'How managers lead, decide and listen.',
    keywords: {
      en: ['manager', 'leadership', 'lead', 'decisions'],
      de: ['Führungskraft', 'Chef', 'Leitung', 'Entscheidungen'],
      fr: ['responsable', 'direction', 'décisions'],
      es: ['responsable', 'dirección', 'decisiones'],
      nl: ['leidinggevende', 'directie', 'besluiten'],
    },
  },
  pay: {
    name: 'Pay & benefits',
    description: 'Salary, bonus, pension, overtime.',
    keywords: {
      en: ['salary', 'pay', 'bonus', 'raise', 'pension'],
      de: ['Gehalt', 'Prämie', 'Erhöhung', 'Überstunden'],
      fr: ['salaire', 'prime', 'augmentation'],
      es: ['sueldo', 'bono', 'subida'],
      nl: ['salaris', 'bonus', 'verhoging'],
    },
  },
  workload: {
    name: 'Workload',
    description: 'How much there is to do, and in what time.',
    keywords: {
      en: ['workload', 'deadlines', 'shift plan', 'break'],
      de: ['Schichtplan', 'Termine', 'Pause', 'vollzählig'],
      fr: ['charge de travail', 'planning', 'délais', 'pause'],
      es: ['carga de trabajo', 'turnos', 'plazos', 'pausa'],
      nl: ['werkdruk', 'rooster', 'deadlines', 'pauze'],
    },
  },
  team: {
    name: 'Team spirit',
    description: 'How colleagues treat each other.',
    keywords: {
      en: ['team', 'colleagues', 'help each other'],
      de: ['Team', 'Kollegen', 'Stimmung'],
      fr: ['équipe', 'collègues', 'ambiance'],
      es: ['equipo', 'compañeros', 'ambiente'],
      nl: ['team', 'collega’s', 'sfeer'],
    },
  },
  tools: {
    name: 'Tools & IT',
    description: 'Machines, devices and software.',
    keywords: {
      en: ['software', 'system', 'scanner', 'laptop', 'forklift'],
      de: ['Software', 'System', 'Scanner', 'Laptop', 'Stapler'],
      fr: ['logiciel', 'système', 'ordinateur'],
      es: ['programa', 'sistema', 'portátil'],
      nl: ['software', 'systeem', 'laptop'],
    },
  },
  growth: {
    name: 'Growth',
    description: 'Training, promotion and what comes next.',
    keywords: {
      en: ['training', 'promotion', 'mentoring', 'next step'],
      de: ['Weiterbildung', 'Schulung', 'Mentoring', 'befördert'],
      fr: ['formation', 'promotion', 'mentorat'],
      es: ['formación', 'curso', 'mentores'],
      nl: ['opleiding', 'cursus', 'promotie'],
    },
  },
  communication: {
    name: 'Communication',
    description: 'What people hear, from whom and when.',
    keywords: {
      en: ['newsletter', 'update', 'town hall', 'announced'],
      de: ['Newsletter', 'Update', 'Betriebsversammlung'],
      fr: ['informations', 'réunions générales'],
      es: ['boletín', 'asambleas', 'resumen'],
      nl: ['nieuwsbrief', 'update', 'bijeenkomsten'],
    },
  },
  flexibility: {
    name: 'Flexibility',
    description: 'Hours, holidays and where people work.',
    keywords: {
      en: ['home office', 'working from home', 'holiday', 'shifts'],
      de: ['Homeoffice', 'Urlaub', 'Elternzeit', 'Kernzeit'],
      fr: ['télétravail', 'congés', 'horaires'],
      es: ['teletrabajo', 'vacaciones', 'horario'],
      nl: ['thuiswerken', 'vakantie', 'ouderschapsverlof'],
    },
  },
};

export function topicName(theme: Theme): string {
  return TOPICS[theme].name;
}

export function* topics(): Iterable<WrittenLine> {
  for (const theme of THEMES) yield { kind: 'topic', ...TOPICS[theme] };
}
