import { afterAll } from 'vitest';
import { TopicServiceService, type Topic } from '@survey/rpc/gen/survey/text/v1/topics.ts';
import type { Fact, Keywords, TopicAssignment } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { toolOf } from '@survey/process/tool.ts';
import type { RequestOf, ResponseOf } from '@survey/rpc/methods.ts';
import { connectUpstream, type UnaryName } from '@survey/rpc/upstream.ts';
import type { Stack } from './stack.ts';

type Methods = TopicServiceService;

/** Operator actions on the topics and texts of an account, through account-admin. */
export type CallText = <K extends UnaryName<Methods>>(
  accountId: number,
  name: K,
  request: RequestOf<Methods[K]>,
) => Promise<ResponseOf<Methods[K]>>;

/** Connects until the end of the test file. */
export function textOperatorAt({ services }: Stack): CallText {
  const upstream = connectUpstream(TopicServiceService, services['account-admin'].address, toolOf('test'));
  afterAll(() => upstream[Symbol.dispose]());
  return (accountId, name, request) =>
    upstream.call(name, request, { caller: { requestId: 'test', accountId, actor: 'tester' }, deadlineMs: 20_000 });
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
export async function topicsOf(call: CallText, accountId: number): Promise<ReadonlyMap<string, Topic>> {
  const { topics } = await call(accountId, 'listTopics', {});
  return new Map(topics.map((topic) => [topic.name, topic]));
}
