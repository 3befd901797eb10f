import { afterAll } from 'vitest';
import { TopicServiceDefinition, type Topic } from '@survey/proto/text/v1/topics.ts';
import type { Fact, Keywords, TopicAssignment } from '@survey/proto/intake/v1/intake.ts';
import { toolOf } from '@survey/process/tool.ts';
import { bindUpstream, type BoundUpstream, connectUpstream } from '@survey/rpc/upstream.ts';
import type { Stack } from './stack.ts';

/** Operator actions on the topics and texts of an account, through account-admin. */
type AsOperator = (accountId: number) => BoundUpstream<TopicServiceDefinition>;

/** Connects until the end of the test file. */
export function textOperatorAt({ services }: Stack): AsOperator {
  const upstream = connectUpstream(TopicServiceDefinition, services['account-admin'].address, toolOf('test'));
  afterAll(() => upstream[Symbol.dispose]());
  return (accountId) => {
    const options = { caller: { requestId: 'test', accountId, actor: 'tester' }, deadlineMs: 20_000 };
    return bindUpstream(TopicServiceDefinition, upstream, () => options);
  };
}

/** Returns a topic fact. */
export function topicFact(name: string, words: Readonly<Record<string, readonly string[]>> = {}, revision = 0): Fact {
  const keywords = Object.entries(words).map(([language, list]): [string, Keywords] => [language, { words: [...list] }]);
  return { revision, line: 0, topic: { name, keywords: Object.fromEntries(keywords) } };
}

/** Returns an account admin's decision about an answer. */
export function decision(responseId: string, topic: string, more: Partial<TopicAssignment> = {}, revision = 0): Fact {
  return { revision, line: 0, topic_assignment: { response_id: responseId, question_id: 15, topic, removed: false, ...more } };
}

/** Returns the topics by name. */
export async function topicsOf(asOperator: AsOperator, accountId: number): Promise<ReadonlyMap<string, Topic>> {
  const { topics } = await asOperator(accountId).listTopics({});
  return new Map(topics.map((topic) => [topic.name, topic]));
}
