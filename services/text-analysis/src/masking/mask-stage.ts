import { createHash } from 'node:crypto';
import { languageOf } from '@survey/text/words/language.ts';
import { maskText } from '@survey/text/masking/mask-text.ts';
import { PERSONAL_CATEGORIES, type Masker, type PersonalCategory } from '@survey/text/masking/masker.ts';
import { type Client, inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { MaskedText, TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { StageDefinition } from '../stages/stage-definition.ts';
import { maskingOf } from '../rules/masking-policy.ts';
import { readMaskingSettings, defaultLanguage } from '../tables/settings.ts';
import type { GetRoster } from './roster.ts';
import type { StageResult } from '../stages/pending.ts';

// Versions of release 0.1 have no generation, and its processes fail each text of a version that
// has one: five times in 75 s, then for good. Ours mask by both, so an account keeps a version of
// 0.1 for this long after a process has met it, and again after a rollback has restored it. That is
// longer than both run side by side, and ends before the next sweep of account work.
const FORMER_RUNS_MS = 8 * 60_000;

/**
 * Defines masking as a stage. Its version is the policy and the masker: a change of either masks
 * all texts again, and the masks of the former masker are shown until then. Of two releases that
 * run side by side, the earlier one masks what nobody has masked, and leaves the rest to the later.
 */
export function maskStage(masker: Masker, findRoster: GetRoster): StageDefinition<string, undefined> {
  const categoriesByPolicy = policies();
  const metFormerAt = new Map<number, number>();
  return {
    stage: 'mask',
    basis: masker.version,
    event: 'events.text.masked',
    wantedVersion: async (tx, accountId) => {
      const masking = maskingOf(await readMaskingSettings(tx, accountId));
      return typeof masking === 'string' ? null : `${masking.policy} ${masker.generation} ${masker.version}`;
    },
    yieldsTo: (accountId, version, wanted) => {
      const [theirs, ours] = [partsOf(version), partsOf(wanted)];
      if (theirs.policy !== ours.policy) return false;
      if (!Number.isNaN(theirs.generation)) return theirs.generation > ours.generation;
      const metAt = metFormerAt.get(accountId) ?? performance.now();
      if (performance.now() - metAt < FORMER_RUNS_MS) metFormerAt.set(accountId, metAt);
      else metFormerAt.delete(accountId);
      return metFormerAt.has(accountId);
    },
    queueOutdated: (tx, accountId, version, range) => queueUnmasked(tx, accountId, partsOf(version), range),
    prepare: () => Promise.resolve(undefined),
    perform: async (accountId, version, { text, expectedLanguage }) => {
      const categories = categoriesByPolicy.get(partsOf(version).policy);
      if (categories === undefined) throw new Error('policy must belong to a set of categories');
      const roster = await findRoster(accountId);
      const spans = await masker.find({ text, language: languageOf(text, expectedLanguage), roster, categories });
      return maskText(text, spans);
    },
    save: async (tx, accountId, state, version, done) => {
      state.sequence += done.length;
      const requestedMask = partsOf(version);
      const ownMask = { policy: requestedMask.policy, masker: numberOf(masker.version) };
      const saved = await saveMasks(tx, accountId, ownMask, state.sequence, done);
      if (ownMask.masker !== requestedMask.masker) await maskAgainLater(tx, accountId, saved);
      return saved;
    },
  };
}

function partsOf(version: string): MaskedBy & { readonly generation: number } {
  const [policy = '', generation, masker = ''] = version.split(' ');
  return { policy, generation: Number(generation), masker: numberOf(masker) };
}

// Stored with each mask, so it is short.
const numberOf = (maskerVersion: string): number => createHash('sha256').update(maskerVersion).digest().readInt32BE();

// A policy is a hash; there is one for every set of categories.
function policies(): ReadonlyMap<string, ReadonlySet<PersonalCategory>> {
  const categoriesOf = new Map<string, ReadonlySet<PersonalCategory>>();
  for (let bits = 1; bits < 2 ** PERSONAL_CATEGORIES.length; bits += 1) {
    const categories = PERSONAL_CATEGORIES.filter((_, index) => (bits >> index) % 2 === 1);
    const masking = maskingOf({ masking_effect: 'on', masking_categories: categories });
    if (typeof masking !== 'string') categoriesOf.set(String(masking.policy), new Set(categories));
  }
  return categoriesOf;
}

// Imported answers are never masked (rule TEXTS-MASKING-1).
const QUEUE_UNMASKED = `
insert into text.pending (account_id, stage, answer)
select a.account_id, 'mask', a.id
from text.answer a
cross join lateral (select imported from text.response where account_id = $1::bigint and id = a.response_id offset 0) r
where a.account_id = $1::bigint and a.id >= $3::integer and a.id < $4::integer and a.content is not null and not r.imported
  and not exists (
    select from text.masked_text m
    where m.account_id = $1::bigint and m.answer = a.id and m.policy = $2::bigint and m.masker = $5::integer offset 0)
  and not exists (select from text.given_up g where g.account_id = $1::bigint and g.stage = 'mask' and g.answer = a.id offset 0)
on conflict do nothing`;

/** By which policy, and by which version of the masker, as a number, a text is masked. */
interface MaskedBy {
  readonly policy: string;
  readonly masker: number;
}

/**
 * Queues the answers whose id is at least `from` and below `to` and that have no mask of this
 * policy and masker, unless given up.
 */
async function queueUnmasked(
  tx: Client,
  accountId: number,
  { policy, masker }: MaskedBy,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await tx.query(QUEUE_UNMASKED, [accountId, policy, from, to, masker]);
  await markDue(tx, 'text', 'dispatch', [accountId]);
}

// Saves masks only of texts that have not changed since.
const SAVE = `
insert into text.masked_text (account_id, answer, policy, content, sequence, masker)
select a.account_id, a.id, $2::bigint, f.content, $6::bigint, $7::integer
from unnest($3::integer[], $4::integer[], $5::text[]) f (id, content_version, content)
join text.answer a on a.account_id = $1::bigint and a.id = f.id and a.content_version = f.content_version and a.content is not null
on conflict (account_id, answer) do update set policy = excluded.policy, content = excluded.content, sequence = excluded.sequence,
  masker = excluded.masker
returning answer`;

/** Saves masks under this sequence. Returns the ids of the answers whose texts are unchanged. */
async function saveMasks(
  tx: Client,
  accountId: number,
  { policy, masker }: MaskedBy,
  sequence: number,
  masked: readonly StageResult<string>[],
): Promise<number[]> {
  const { rows } = await tx.query<{ answer: number }>(SAVE, [
    accountId,
    policy,
    masked.map(({ id }) => id),
    masked.map(({ textVersion }) => textVersion),
    masked.map(({ result }) => result),
    sequence,
    masker,
  ]);
  return rows.map(({ answer }) => answer);
}

/** Lets the backfill of masks look at these answers once more. */
async function maskAgainLater(tx: Client, accountId: number, answers: readonly number[]): Promise<void> {
  await tx.query(
    `update text.backfill set enqueued_below = least(enqueued_below, (select min(a) from unnest($2::integer[]) a))
     where account_id = $1::bigint and stage = 'mask'`,
    [accountId, answers],
  );
}

const MAX_TEXTS = 1_000;

/** Masks texts that are not stored, as answers of the account are masked (rule TEXTS-MASKING-1). */
export function maskTexts(
  pool: Pool,
  { masker, findRoster }: { readonly masker: Masker; readonly findRoster: GetRoster },
): Handlers<TopicServiceDefinition>['maskTexts'] {
  return async ({ texts, language: given }, call) => {
    if (texts.length > MAX_TEXTS) throw invalid(`texts must have at most ${MAX_TEXTS} entries`);
    const accountId = accountOf(call);
    const { settings, expected } = await inAccountSnapshot(pool, accountId, async (tx) => ({
      settings: await readMaskingSettings(tx, accountId),
      expected: given ?? (await defaultLanguage(tx, accountId)),
    }));
    const isOn = settings.masking_effect === 'on';
    const categories = new Set(PERSONAL_CATEGORIES.filter((each) => !isOn || settings.masking_categories.includes(each)));
    const roster = await findRoster(accountId);
    const masked: MaskedText[] = [];
    // One after the other, so that stored answers take turns with them.
    for (const text of texts) {
      const language = languageOf(text, expected);
      const spans = await masker.find({ text, language, roster, categories });
      const masks = spans.map(({ category, start, end, source: rule }) => ({ category, start, end, rule }));
      masked.push({ text: maskText(text, spans), language, masks });
    }
    return { texts: masked };
  };
}
