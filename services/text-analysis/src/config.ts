import { grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...grpcListen,
  // host:port, or a name that resolves to all instances.
  SCORING_ANONYMITY_ADDRESS: z.string().min(1),
  // For what decides which answers of the accounts asked for last are shown: some 30 bytes for each answer, without texts. An account with more is
  // refused (answers_loads_total, outcome too_large).
  ANSWER_CACHE_MB: z.coerce.number().int().min(1).max(1_000_000).default(256),
  // Models outside, for accounts that have external_text_models on: the base of an OpenAI-compatible interface, such as https://models.example.com/v1.
  TEXT_MODELS_URL: z.url().optional(),
  TEXT_MODELS_KEY: z.string().min(1).optional(),
  // Of chat, for topics and sentiment.
  TEXT_CHAT_MODEL: z.string().min(1).optional(),
  // For topics, instead of the chat model; and the least cosine that makes a topic fit.
  TEXT_EMBEDDING_MODEL: z.string().min(1).optional(),
  TEXT_EMBEDDING_THRESHOLD: z.coerce.number().min(0).max(1).default(0.5),
  // For one answer of a model; then the embedded analysis decides.
  TEXT_MODELS_TIMEOUT_MS: z.coerce.number().int().min(1).max(60_000).default(5_000),
  // A Presidio analyzer, such as http://presidio:3000, for accounts that have external_masker on. While it does not answer, their answers wait.
  PRESIDIO_URL: z.url().optional(),
  // Those that it has a model for, ISO 639-1; answers in others are sent as the first.
  PRESIDIO_LANGUAGES: z
    .string()
    .regex(/^[a-z]{2}(,[a-z]{2})*$/)
    .default('en')
    .transform((list): [string, ...string[]] => {
      const [first = 'en', ...others] = list.split(',');
      return [first, ...others];
    }),
  // For one answer.
  PRESIDIO_TIMEOUT_MS: z.coerce.number().int().min(1).max(60_000).default(5_000),
  // Decisions of administrators about topics of answers, after which an account's learner is trained again.
  TOPIC_MODEL_TRAIN_AFTER_DECISIONS: z.coerce.number().int().min(1).max(1_000_000).default(50),
};

export type Settings = SettingsOf<typeof environment>;
