import { normalise } from '../../words/normalise.ts';
import { embeddedMasker, withoutNumberedThings } from '../embedded-masker.ts';
import { PERSONAL_CATEGORIES, type AnswerToMask, type Masker, type Span } from '../masker.ts';
import { withoutOverlaps } from '../without-overlaps.ts';
import type { ClassifyWords } from './classify-words.ts';
import { addressesAmong, mayFindSpans, namesAmong } from './model-spans.ts';

const ALL = new Set(PERSONAL_CATEGORIES);
const JOINT = /^[ \u00a0'’-]?$/u;
// Where spans overlap, the earlier category wins, as among the rules.
const PRIORITY = ['email', 'id', 'phone', 'address', 'name'];

/** Creates a masker that masks what the rules or a model of this version find. */
export function createModelMasker(classify: ClassifyWords, version: string): Masker {
  return {
    version: `${embeddedMasker.version}+model-4-${version}`,
    generation: embeddedMasker.generation,
    find: async (answer) => {
      const [ruleSpans, modelSpans] = await Promise.all([
        embeddedMasker.find({ ...answer, categories: ALL }),
        findByModel(answer, classify),
      ]);
      const spans =
        modelSpans.length === 0 ? ruleSpans : withoutOverlaps(joined([...ruleSpans, ...modelSpans], answer.text), answer.text);
      return spans.filter(({ category }) => answer.categories.has(category));
    },
  };
}

async function findByModel(answer: AnswerToMask, classify: ClassifyWords): Promise<Span[]> {
  if (!answer.categories.has('name') && !answer.categories.has('address')) return [];
  const { text, rangeOf } = normalise(answer.text);
  if (!mayFindSpans({ ...answer, text })) return [];
  const scored = await classify(text);
  const words = scored.filter(({ start, end }) => !answer.roster.isVisibleToModel(text.slice(start, end)));
  if (words.length === 0) return [];
  const spans = withoutNumberedThings([...namesAmong({ ...answer, text }, words), ...addressesAmong(text, words)], text);
  return spans.map((span) => ({ ...span, ...rangeOf(span.start, span.end) }));
}

// One span for a value that the rules and the model each found a part of.
function joined(spans: readonly Span[], text: string): Span[] {
  const sorted = spans.toSorted((one, other) => rank(one) - rank(other) || one.start - other.start);
  const result: Span[] = [];
  for (const span of sorted) {
    const last = result.at(-1);
    const isPart = last?.category === span.category && (span.start < last.end || JOINT.test(text.slice(last.end, span.start)));
    if (isPart) result[result.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    else result.push(span);
  }
  return result;
}

const rank = ({ category }: Span): number => PRIORITY.indexOf(category);
