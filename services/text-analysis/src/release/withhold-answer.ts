import { type Client, inAccount, inAccountSnapshot } from '@survey/postgres/database.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { hideDeniedWords } from './denied-words.ts';
import { lockAccountState, saveAccountState } from '../tables/account-state.ts';
import { WHOLE_ACCOUNT, withReleased, type ReleaseContext } from './released-answers.ts';

const MAX_ANSWERS = 1_000;
const MAX_TEXT = 100_000;
const HIDDEN_WORD = '[NAME]';

// $2: pattern of the text; $3: masking policy, null when texts are returned verbatim.
const WITH_TEXT = `
select a.id, a.sort_key::text as handle, t.text
from text.answer a
join text.response r on r.account_id = a.account_id and r.id = a.response_id
left join text.masked_text m on m.account_id = a.account_id and m.answer = a.id and m.policy = coalesce($3::bigint, 0)
cross join lateral (select case when r.imported or $3::bigint is null then a.content else m.content end as text) t
where a.account_id = $1::bigint and not a.is_withheld and btrim(t.text, E' \\t\\r\\n') like $2::text
order by a.sort_key limit $4`;

/** Finds the answers with exactly this text that GET /v1/text_responses returns now. */
export function findAnswers(context: ReleaseContext): Handlers<TopicServiceDefinition>['findAnswers'] {
  return ({ text }, call) => {
    const searchText = text.trim();
    if (searchText === '' || searchText.length > MAX_TEXT) throw invalid(`text must have 1 to ${MAX_TEXT} characters`);
    return withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, released, policy, deniedWords }) => {
      const pattern = patternOf(searchText, deniedWords.length > 0);
      const candidates = await tx.query<Candidate>(WITH_TEXT, [accountId, pattern, policy, MAX_ANSWERS]);
      const hide = hideDeniedWords(deniedWords);
      const rows = candidates.rows.filter((row) => hide(row.text).trim() === searchText);
      const matchingIds = new Set(rows.map(({ id }) => id));
      const releasedIds = new Set(released.ids.filter((id) => matchingIds.has(id)));
      return { handles: rows.filter(({ id }) => releasedIds.has(id)).map(({ handle }) => handle) };
    });
  };
}

interface Candidate {
  readonly id: number;
  readonly handle: string;
  readonly text: string;
}

// A name in the text may be a denied word, which is hidden only when the text is returned.
function patternOf(text: string, hasDeniedWords: boolean): string {
  const literal = text.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return hasDeniedWords ? literal.replaceAll(HIDDEN_WORD, '%') : literal;
}

// $2: answers; $3: as above. An answer that is not masked yet is left out. With "offset 0" as in
// read-answers.ts.
const WITHHELD = `
select a.handle, a.text
from unnest($2::integer[]) with ordinality asked (id, at) cross join lateral (
  select a.sort_key::text as handle, case when r.imported or $3::bigint is null then a.content else m.content end as text
  from text.answer a
  join text.response r on r.account_id = a.account_id and r.id = a.response_id
  left join text.masked_text m on m.account_id = a.account_id and m.answer = a.id and m.policy = coalesce($3::bigint, 0)
  where a.account_id = $1::bigint and a.id = asked.id offset 0) a
where a.text is not null
order by asked.at`;

const MAX_LIMIT = 200;

/** Lists withheld answers that would be returned otherwise, as then (rule TEXTS-WITHHELD-1). */
export function listWithheldAnswers(context: ReleaseContext): Handlers<TopicServiceDefinition>['listWithheldAnswers'] {
  return ({ limit, offset }, call) => {
    if (limit < 1 || limit > MAX_LIMIT || offset < 0) throw invalid(`limit must be 1 to ${MAX_LIMIT}, and offset at least 0`);
    return withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, released, policy, deniedWords }) => {
      const { withheldIds } = released;
      const ids = withheldIds.slice(offset, offset + limit);
      const { rows } = await tx.query<{ handle: string; text: string }>(WITHHELD, [accountId, ids, policy]);
      const hide = hideDeniedWords(deniedWords);
      return { answers: rows.map(({ handle, text }) => ({ handle, text: hide(text) })), total: withheldIds.length };
    });
  };
}

/**
 * Withholds a released answer, or releases it again. From the next call on it is neither returned
 * nor counted in total_count; its respondent still counts (rule TEXTS-WITHHELD-1).
 * @throws ApplicationError `not_found` for an answer that is not released, so that a call reveals
 * nothing about it.
 */
export function withholdAnswer(context: ReleaseContext): Handlers<TopicServiceDefinition>['withholdAnswer'] {
  return async ({ handle, is_withheld }, call) => {
    const accountId = accountOf(call);
    const id = is_withheld
      ? await withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, released }) => {
          const answer = await answerOf(tx, accountId, handle);
          return answer !== undefined && released.ids.includes(answer.id) ? answer.id : undefined;
        })
      : await inAccountSnapshot(context.pool, accountId, async (tx) => {
          const answer = await answerOf(tx, accountId, handle);
          return answer?.is_withheld === true ? answer.id : undefined;
        });
    if (id === undefined)
      throw notFound(
        `the handle matches no ${is_withheld ? 'released' : 'withheld'} answer; it may have changed in the meantime`,
      );
    await inAccount(context.pool, accountId, async (tx) => {
      const state = await lockAccountState(tx, accountId);
      state.sequence += 1;
      await tx.query(
        'update text.answer set is_withheld = $3::boolean, sequence = $4::bigint where account_id = $1::bigint and id = $2::integer',
        [accountId, id, is_withheld, state.sequence],
      );
      await saveAccountState(tx, accountId, state);
    });
    return {};
  };
}

async function answerOf(
  tx: Client,
  accountId: number,
  handle: string,
): Promise<{ id: number; is_withheld: boolean } | undefined> {
  const isSortKey = /^-?\d{1,19}$/.test(handle) && BigInt.asIntN(64, BigInt(handle)) === BigInt(handle);
  if (!isSortKey) throw invalid('handle must be one that a list of answers returned');
  const { rows } = await tx.query<{ id: number; is_withheld: boolean }>(
    'select id, is_withheld from text.answer where account_id = $1::bigint and sort_key = $2::bigint',
    [accountId, handle],
  );
  return rows[0];
}
