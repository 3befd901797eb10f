import { answerRetention, grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...grpcListen,
  ...answerRetention,
  SCORING_ANONYMITY_ADDRESS: z
    .string()
    .min(1)
    .describe('host:port of scoring-anonymity, which decides on releases; the name may resolve to several instances'),
  ANSWER_CACHE_MB: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(256)
    .describe(
      'Answer cache, at about 30 bytes per answer, without texts. Reads of accounts that do not fit get 503 (`answers_loads_total{outcome="too_large"}`)',
    ),
  MASKER: z
    .enum(['rules', 'rules+model'])
    .default('rules+model')
    .describe(
      'How names and addresses are found. With `rules+model`, the service does not start where the model cannot be loaded',
    ),
  MASKER_MODEL_DIR: z.string().min(1).optional().describe('Folder of another model for `rules+model`'),
  TOPIC_MODEL_TRAIN_AFTER_DECISIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(50)
    .describe('Topic decisions of account admins after which a topic model is trained'),
};

export type Settings = SettingsOf<typeof environment>;
