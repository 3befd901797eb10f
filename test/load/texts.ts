import { byTurns, millisecondsOf, type Figure } from '../support/figures.ts';
import { CYCLES, cycleId, fillTexts } from './texts-fill.ts';
import { get, untilAnswered, type BenchStack } from './bench-stack.ts';

const PAGE = 1_000;
const TURNS = 20;
const SCOPE_TURNS = 5;

/** GET /v1/text_responses of a large account: pages at any depth, a scope that nobody has asked for yet, and what stays in memory. */
export async function measureTexts(world: BenchStack): Promise<Figure[]> {
  const { stack, pool, isSmoke } = world;
  const answers = isSmoke ? 20_000 : 2_000_000;
  const { account_id: accountId, read_key: key } = await world.account();
  await fillTexts(pool, accountId, answers);
  const page = (query: string) => get(`${stack.gateway_url}/v1/text_responses?${query}`, key);
  const loaded = await millisecondsOf(() => untilAnswered(() => page('limit=0')));
  const at = (offset: number) => () => millisecondsOf(() => page(`limit=${PAGE}&offset=${offset}`));
  const pages = await byTurns(TURNS, { first: at(0), middle: at(answers / 2), last: at(answers - PAGE) });
  const first = { what: 'first page', values: pages.first };
  const scopes = await measureScopes(world, accountId, page);
  return [
    { what: `${answers} answers: the first call, which loads them`, unit: 'ms', ours: [loaded] },
    { what: `page of ${PAGE} in the middle`, unit: 'ms', ours: pages.middle, beside: first, goal: { atMost: 2 } },
    { what: `the last page of ${PAGE}`, unit: 'ms', ours: pages.last, beside: first, goal: { atMost: 2 } },
    {
      what: 'a scope of half the cycles, for the first time',
      unit: 'ms',
      ours: scopes.ours,
      beside: { what: 'people of each cycle by SQL', values: scopes.sql },
      goal: { atMost: 0.5 },
    },
  ];
}

const PEOPLE = `
select c.cycle_id, count(distinct r.respondent)
from text.answer a
join text.response r on r.account_id = a.account_id and r.id = a.response_id
join text.cycle c on c.account_id = r.account_id and c.ordinal = r.cycle
where a.account_id = $1 and a.content is not null and c.cycle_id = any($2::uuid[])
group by c.cycle_id`;

async function measureScopes({ pool }: BenchStack, accountId: number, page: (query: string) => Promise<unknown>) {
  let turn = 0;
  // Another half each time.
  const half = (): string[] => Array.from({ length: CYCLES / 2 }, (_, index) => cycleId((index + turn) % CYCLES));
  return byTurns(SCOPE_TURNS, {
    ours: () => millisecondsOf(() => page(`limit=100&survey_cycle_ids=${half().join()}`)),
    sql: () => millisecondsOf(() => pool.query(PEOPLE, [accountId, half()])).finally(() => (turn += 1)),
  });
}
