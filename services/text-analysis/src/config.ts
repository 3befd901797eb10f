import { grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...grpcListen,
  // host:port, or a name that resolves to all instances.
  SCORING_ANONYMITY_ADDRESS: z.string().min(1),
  // For what decides about the answers of the accounts that were asked for last: some 30 bytes each. Texts are not kept.
  ANSWERS_MEMORY_MB: z.coerce.number().int().min(1).max(1_000_000).default(256),
  // Decisions of administrators about topics of answers, after which an account's learner is trained again.
  LEARN_AFTER_DECISIONS: z.coerce.number().int().min(1).max(1_000_000).default(50),
};

export type Settings = SettingsOf<typeof environment>;
