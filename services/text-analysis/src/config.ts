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
  // Number of new topic decisions by account admins that starts a new training.
  TOPIC_MODEL_TRAIN_AFTER_DECISIONS: z.coerce.number().int().min(1).max(1_000_000).default(50),
  // Days to keep answers after the end of their cycle, for accounts without a setting; 0: for
  // ever. The same in scoring-anonymity and text-analysis.
  ANSWER_RETENTION_DAYS: z.coerce.number().int().min(0).max(3_650).default(0),
};

export type Settings = SettingsOf<typeof environment>;
