import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client } from '@survey/postgres/database.ts';
import { hideDeniedWords } from './denied-words.ts';
import type { Released } from './released-answers.ts';

/** Answer as returned to clients (docs/rules/texts.md). */
interface ShownAnswer {
  readonly text: string;
  readonly topics: readonly { readonly name: string; readonly sentiment: string | null }[];
}

// Characters in which denied words are found before others have their turn.
const HIDDEN_AT_ONCE = 20_000;

// $3: masking policy; null when texts are returned verbatim. No policy is 0: Citus rejects the join
// with null. With "offset 0": one index lookup per answer
// (docs/adr/0029-no-plan-depends-on-neighbours.md).
const TEXTS = `
select a.id, a.text
from unnest($2::integer[]) with ordinality asked (id, at) cross join lateral (
  select a.id, case when r.imported or $3::bigint is null then a.content else m.content end as text
  from text.answer a
  join text.response r on r.account_id = a.account_id and r.id = a.response_id
  left join text.masked_text m on m.account_id = a.account_id and m.answer = a.id and m.policy = coalesce($3::bigint, 0)
  where a.account_id = $1::bigint and a.id = asked.id offset 0) a
order by asked.at`;

// Joined by topic id, so that a rename applies to all answers at once (rule TEXTS-TOPICS-2).
const TOPICS = `
select x.answer, t.name, x.sentiment
from unnest($2::integer[]) as asked (id) cross join lateral (
  select x.answer, x.topic_id, x.sentiment from text.topic_assignment x
  where x.account_id = $1::bigint and x.answer = asked.id and x.removed_at is null offset 0) x
cross join lateral (
  select t.name from text.topic t where t.account_id = $1::bigint and t.id = x.topic_id and t.is_active offset 0) t
order by x.answer, x.topic_id`;

/**
 * Reads the texts and topics of these answers, in this order. An empty page reads the same tables,
 * because its duration must not differ from a withheld page (rule TEXTS-THRESHOLD-4).
 * @throws when an answer must not be shown, which is an invariant violation.
 */
export async function readAnswers(
  db: Client,
  accountId: number,
  ids: readonly number[],
  { policy, deniedWords }: Pick<Released, 'policy' | 'deniedWords'>,
): Promise<ShownAnswer[]> {
  const texts = await db.query<{ id: number; text: string | null }>({
    name: 'texts',
    text: TEXTS,
    values: [accountId, ids, policy],
  });
  const assigned = await db.query<{ answer: number; name: string; sentiment: string | null }>({
    name: 'topics_of_texts',
    text: TOPICS,
    values: [accountId, ids],
  });
  const hide = hideDeniedWords(deniedWords);
  const topics = Map.groupBy(assigned.rows, ({ answer }) => answer);
  const shownAnswers: ShownAnswer[] = [];
  let characters = 0;
  for (const { id, text } of texts.rows) {
    if (text === null) throw new Error('expected a text of every counted answer');
    characters += deniedWords.length === 0 ? 0 : text.length;
    if (characters > HIDDEN_AT_ONCE) {
      await nextTurn();
      characters = 0;
    }
    shownAnswers.push({ text: hide(text), topics: (topics.get(id) ?? []).map(({ name, sentiment }) => ({ name, sentiment })) });
  }
  return shownAnswers;
}
