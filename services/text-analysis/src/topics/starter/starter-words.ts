export const STARTER_KEYS = [
  'management',
  'leadership',
  'pay',
  'workload',
  'communication',
  'career',
  'learning',
  'team',
  'tools',
  'culture',
  'fairness',
  'health',
  'flexibility',
  'recognition',
  'workplace',
  'work',
  'security',
  'processes',
] as const;

/** Starter topic names and comma-separated keywords of one language. */
export type StarterWords = Readonly<Record<(typeof STARTER_KEYS)[number], { readonly name: string; readonly keywords: string }>>;

/** Languages of starter topics and of the keywords of usual topics. */
export type StarterLanguage = 'da' | 'de' | 'en' | 'es' | 'fr' | 'nl' | 'pt' | 'sv';
