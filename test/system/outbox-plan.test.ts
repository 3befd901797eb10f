import { deleteSent } from '@survey/bus/outbox.ts';
import { expect, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { planOf } from '../support/query-plan.ts';

const { db, operator } = await startFileStack();
const { accountId } = await operator.createAccount();
const SENT_TODAY = 20_000;
await db.query(
  `insert into imports.outbox (account_id, subject, payload, sent_at)
   select $1, 'events.employee.updated', '', now() - interval '1 hour' from generate_series(1, $2::integer)`,
  [accountId, SENT_TODAY],
);

it.each(['without statistics', 'with statistics'])(
  'does not read what was sent within the day when a batch is sent, %s',
  async (kind) => {
    if (kind === 'with statistics') await db.query('analyze imports.outbox');
    const { blocks } = await planOf(db, accountId, deleteSent('imports'), [], 'outbox', 'survey_imports');
    expect(blocks).toBeLessThan(20);
  },
);
