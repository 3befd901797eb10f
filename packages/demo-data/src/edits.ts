import type { WrittenLine } from '@survey/bus/lines/line.ts';
import { countColleagues } from './colleagues.ts';
import { inventName } from './names.ts';
import { importId, SITES, type OrganisationSize } from './organisation.ts';
import { Random } from './random.ts';

const EDITED = 0.004;

type Change = (random: Random) => object;

// Changes that administrators make in the application.
const CHANGES: readonly Change[] = [
  (random) => ({ lastname: inventName('de', random).lastname }),
  (random) => moved(random),
  () => ({ role: 'Employee' }),
  () => ({ language: 'en', supervisor: null }),
  () => ({ attributes: [{ name: 'Job Family', value: null }] }),
  (random) => ({ firstname: inventName('en', random).firstname, ...moved(random) }),
];

/**
 * Yields edits of some of the workforce and of the application's employees; some are edited twice.
 */
export function* edits(size: OrganisationSize): Iterable<WrittenLine> {
  const count = Math.max(6, Math.ceil(size.employees * EDITED));
  for (let number = 0; number < count; number += 1) {
    const random = new Random(size.seed, 'edit', number);
    const employee =
      number % 5 === 4
        ? { id: random.int(1, countColleagues(size)) }
        : { import_id: importId(random.int(0, size.employees - 1)) };
    const change = CHANGES[number % CHANGES.length] ?? moved;
    yield { kind: 'employee', employee, ...change(random), revision: number + 1 };
  }
}

function moved(random: Random): object {
  const { location, country } = random.pick(SITES);
  return {
    attributes: [
      { name: 'Location', value: location },
      { name: 'Country', value: country },
    ],
  };
}
