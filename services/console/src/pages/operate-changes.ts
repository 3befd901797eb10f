import { notFoundPage } from '../page-error.ts';
import { at } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { rejection } from './common.ts';
import { RETENTIONS } from './personal-data.ts';
import { getAccountOperation } from './operate-account.ts';

const MAX_DAYS = 3_650;

export async function postAccountOperation(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given, session } = visit;
  if (!session.isOperator) throw notFoundPage();
  const rate = (given.get('rate') ?? '').trim();
  if (!/^\d{0,7}$/.test(rate)) return getAccountOperation(visit, { rate: texts.operate.rateError });
  const days = (name: string): string => (given.get(name) ?? '').trim();
  const wrong = RETENTIONS.filter((name) => !/^\d{0,4}$/.test(days(name)) || Number(days(name)) > MAX_DAYS);
  if (wrong.length > 0) return getAccountOperation(visit, Object.fromEntries(wrong.map((name) => [name, texts.retention.error])));
  const is = (name: string): boolean => given.get(name) === 'on';
  try {
    await visit.admin.setSettings({
      masking_categories: null,
      masking_entitled: is('entitled'),
      rate_limit: Number(rate || 0),
      external_masker: is('external_masker'),
      external_text_models: is('external_text_models'),
      ...Object.fromEntries(RETENTIONS.map((name) => [name, Number(days(name))])),
      expected_version: Number(given.get('version')),
    });
  } catch (error) {
    return getAccountOperation(visit, {
      rate: rejection(visit, error, { conflict: texts.settings.conflict, invalid: texts.operate.rateError }),
    });
  }
  return { redirect: at(visit, '/operate?done=saved') };
}

export async function postIssuers(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given, session } = visit;
  if (!session.isOperator) throw notFoundPage();
  const issuers = (given.get('issuers') ?? '').split(/\s+/).filter((each) => each !== '');
  try {
    await visit.admin.setIssuers({ issuers });
  } catch (error) {
    return getAccountOperation(visit, { issuers: rejection(visit, error, { invalid: texts.operate.issuersError }) });
  }
  return { redirect: at(visit, '/operate?done=saved') };
}

export async function postRetry(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  await visit.topics.retryText({});
  return { redirect: at(visit, '/operate?done=saved') };
}

/** Enqueues a stage again, one range of answers at a time. */
export async function postRebuild(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  const stage = visit.params['stage'] ?? '';
  for (let from: number | undefined; ;) {
    const { next_answer } = await visit.topics.rebuildText({ stage, from_answer: from });
    if (next_answer == null) break;
    from = next_answer;
  }
  return { redirect: at(visit, '/operate?done=saved') };
}

/** Puts the model before the active one into use, or none. */
export async function postRollBack(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  await visit.topics.rollBackTopicModel({});
  return { redirect: at(visit, '/operate?done=rolledBack') };
}
