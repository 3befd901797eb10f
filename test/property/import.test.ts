import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { deed, applyAction, factOf, type ApplicationAction } from './application-actions.ts';
import { importSnapshot } from '../support/import/import-model.ts';
import { checkInParallel } from './parallel-property.ts';
import { applySentMap, sentMap, type SentMap } from '../support/import/model-rekeying.ts';
import {
  NOBODY,
  type Circumstances,
  type ImportOutcome,
  type Organisation,
  type SentRecord,
} from '../support/import/organisation.ts';
import {
  createReconcilingAccount,
  openReconcilerDatabase,
  type ReconcilingAccount,
} from '../support/import/reconciling-account.ts';
import { circumstances, snapshot } from '../support/import/snapshots.ts';

// Every second batch finds the dictionary too large to be held in memory.
vi.mock(import('@survey/import-reconciler/tables/stored-dictionary.ts'), async (load) => {
  const { MAX_IN_MEMORY, ...module } = await load();
  let batches = 0;
  return {
    ...module,
    get MAX_IN_MEMORY() {
      return batches++ % 2 === 0 ? 2 : MAX_IN_MEMORY;
    },
  };
});

const database = await openReconcilerDatabase();

const SEEDS = Number(process.env['IMPORT_SEEDS'] ?? 25);

interface Step {
  // Actions in the application before the import.
  readonly deeds: readonly ApplicationAction[];
  // Other import_ids for some employees, before the import.
  readonly map: SentMap | undefined;
  readonly snapshot: readonly SentRecord[];
  readonly around: Circumstances;
  // By position in the list: send the bytes of the previous snapshot when it had the employee.
  readonly isKept: readonly boolean[];
  // Runs a dry run before the import.
  readonly isTried: boolean;
  // Sends the snapshot twice: nothing may change.
  readonly isRepeated: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  deeds: fc.oneof(fc.constant<ApplicationAction[]>([]), fc.array(deed, { maxLength: 3 })),
  map: fc.option(sentMap, { nil: undefined, freq: 1 }),
  snapshot,
  around: circumstances,
  isKept: fc.array(
    fc.nat(3).map((n) => n > 0),
    { minLength: 8, maxLength: 8 },
  ),
  isTried: fc.nat(9).map((n) => n === 9),
  isRepeated: fc.nat(3).map((n) => n === 3),
});

test(`${SEEDS} random organisations are imported as the model says`, { timeout: 300_000 }, () =>
  checkInParallel(SEEDS, fc.array(step, { minLength: 2, maxLength: 3 }), isAsTheModel),
);

async function isAsTheModel(steps: readonly Step[]): Promise<void> {
  const account = await createReconcilingAccount(database);
  let organisation = NOBODY;
  let revision = 0;
  let list: readonly SentRecord[] = [];
  for (const { deeds, map, snapshot: fresh, isKept, around, isTried, isRepeated } of steps) {
    list = withKept(fresh, list, isKept);
    const facts: Fact[] = [];
    for (const what of deeds) {
      const after = applyAction(what, organisation);
      if (after !== undefined) facts.push(factOf(what, ++revision));
      organisation = after ?? organisation;
    }
    await expectTaken(account, facts);
    if (deeds.length > 0) await expectOrganisation(account, organisation);
    if (map !== undefined) organisation = await expectRekeyed(account, organisation, map);
    if (isTried) await expectTried(account, organisation, list, around);
    organisation = await expectImported(account, organisation, list, around);
    // The same snapshot again: nothing changes.
    if (isRepeated) await expectUnchanged(account, organisation, list, around);
  }
}

function withKept(fresh: readonly SentRecord[], before: readonly SentRecord[], isKept: readonly boolean[]): SentRecord[] {
  return fresh.map((record, at) => {
    const earlier = before.find(({ import_id }) => import_id === record.import_id);
    return isKept[at] === true ? (earlier ?? record) : record;
  });
}

async function expectTaken(account: ReconcilingAccount, facts: readonly Fact[]): Promise<void> {
  const reasons = facts.length === 0 ? [] : await account.tell(facts);
  expect(reasons).toEqual([]);
}

async function expectOrganisation(account: ReconcilingAccount, organisation: Organisation): Promise<void> {
  const people = organisation.people.toSorted((a, b) => a.id - b.id);
  expect(await account.read()).toEqual({ ...organisation, people });
}

async function expectRekeyed(account: ReconcilingAccount, before: Organisation, map: SentMap): Promise<Organisation> {
  const rekeyed = applySentMap(before, map);
  expect(await account.rekey(map)).toBe(rekeyed === undefined);
  await expectOrganisation(account, rekeyed ?? before);
  return rekeyed ?? before;
}

async function expectImported(
  account: ReconcilingAccount,
  before: Organisation,
  list: readonly SentRecord[],
  around: Circumstances,
): Promise<Organisation> {
  const { outcome, organisation } = importSnapshot(before, list, around);
  const actual = await account.importSnapshot(list, around);
  expect(actual).toEqual(actual.records.length > 0 ? outcome : withoutUnmatchedGrants(outcome));
  await expectOrganisation(account, organisation);
  return organisation;
}

// An import that changes nothing does not look at grants, which employees of the application may
// have left without a match.
function withoutUnmatchedGrants(outcome: ImportOutcome): ImportOutcome {
  const isOther = (warning: string): boolean => !warning.startsWith('grant_matches_nobody ');
  return {
    ...outcome,
    records: outcome.records.filter(({ outcome: done, warnings }) => done !== 'unchanged' || warnings.some(isOther)),
  };
}

// A dry run applies the threshold, reports what the import would do, and changes nothing.
async function expectTried(...[account, organisation, list, around]: Parameters<typeof expectImported>): Promise<void> {
  const before = await account.readRows();
  const { outcome } = importSnapshot(organisation, list, { ...around, deletesAllowed: false });
  expect(await account.trySnapshot(list, around)).toEqual(outcome);
  expect(await account.readRows()).toEqual(before);
}

async function expectUnchanged(...[account, organisation, list, around]: Parameters<typeof expectImported>): Promise<void> {
  expect(await expectImported(account, organisation, list, around)).toEqual(organisation);
}
