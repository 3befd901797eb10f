import { grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...grpcListen,
  // host:port, or a name that resolves to all instances.
  SCORING_ANONYMITY_ADDRESS: z.string().min(1),
  // Size of the answer cache: about 30 bytes per answer, without texts. Reads of an account that
  // does not fit fail (answers_loads_total, outcome too_large).
  ANSWER_CACHE_MB: z.coerce.number().int().min(1).max(1_000_000).default(256),
  // How names and addresses are found: by rules, or by rules and the embedded model. Without the
  // files or the library of the model: by rules.
  MASKER: z.enum(['rules', 'rules+model']).default('rules+model'),
  // Folder of another model: model.onnx, vocab.txt and labels.json.
  MASKER_MODEL_DIR: z.string().min(1).optional(),
  // Base URL of an OpenAI-compatible API, such as https://models.example.com/v1, for accounts with
  // external_text_models on.
  TEXT_MODELS_URL: z.url().optional(),
  TEXT_MODELS_KEY: z.string().min(1).optional(),
  // Chat model for topics and sentiment.
  TEXT_CHAT_MODEL: z.string().min(1).optional(),
  // Embedding model for topics instead of the chat model, and the minimum cosine of a matching
  // topic.
  TEXT_EMBEDDING_MODEL: z.string().min(1).optional(),
  TEXT_EMBEDDING_THRESHOLD: z.coerce.number().min(0).max(1).default(0.5),
  // Timeout of one model call; on timeout the embedded analysis is used.
  TEXT_MODELS_TIMEOUT_MS: z.coerce.number().int().min(1).max(60_000).default(5_000),
  // Presidio analyzer, such as http://presidio:3000, for accounts with external_masker on. Their
  // answers stay pending while it is unavailable.
  PRESIDIO_URL: z.url().optional(),
  // ISO 639-1 languages that it has a model for; answers in other languages are sent as the first.
  PRESIDIO_LANGUAGES: z
    .string()
    .regex(/^[a-z]{2}(,[a-z]{2})*$/)
    .default('en')
    .transform((list): [string, ...string[]] => {
      const [first = 'en', ...others] = list.split(',');
      return [first, ...others];
    }),
  // Timeout per answer.
  PRESIDIO_TIMEOUT_MS: z.coerce.number().int().min(1).max(60_000).default(5_000),
  // Number of new topic decisions by account admins that starts a new training.
  TOPIC_MODEL_TRAIN_AFTER_DECISIONS: z.coerce.number().int().min(1).max(1_000_000).default(50),
  // Days to keep answers after the end of their cycle, for accounts without a setting; 0: for
  // ever. The same in scoring-anonymity and text-analysis.
  ANSWER_RETENTION_DAYS: z.coerce.number().int().min(0).max(3_650).default(0),
};

export type Settings = SettingsOf<typeof environment>;
