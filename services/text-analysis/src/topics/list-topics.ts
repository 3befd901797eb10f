import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { taxonomyVersion } from './taxonomy-version.ts';
import { readTopics } from './topics.ts';
import { toTopicMessage } from './change-topics.ts';

/** Lists all topics of the account, by name. */
export function listTopics(pool: Pool): Handlers<TopicServiceDefinition>['listTopics'] {
  return (_request, call) => {
    const accountId = accountOf(call);
    return inAccountSnapshot(pool, accountId, async (tx) => ({
      topics: (await readTopics(tx, accountId)).map(toTopicMessage),
      taxonomy_version: await taxonomyVersion(tx, accountId),
    }));
  };
}
