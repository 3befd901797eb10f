import type { ServiceContext } from '@survey/process/service.ts';
import type { Settings } from './config.ts';
import { openModelEndpoint, type ModelEndpoint } from './model-endpoint.ts';
import { createOpenAiScorer } from './sentiment/openai-scorer.ts';
import type { SentimentScorer } from './sentiment/sentiment-scorer.ts';
import type { Categoriser } from './topics/categoriser.ts';
import { createEmbeddingCategoriser } from './topics/embedding-categoriser.ts';
import { createOpenAiCategoriser } from './topics/openai-categoriser.ts';

interface TextModels {
  readonly categoriser: Categoriser;
  readonly scorer: SentimentScorer;
}

/**
 * Creates the external models that the environment names, each with the embedded analysis as
 * fallback; undefined when it names none. A kind of analysis without a model stays embedded.
 */
export function openExternalModels(settings: Settings, embedded: TextModels, context: ServiceContext): TextModels | undefined {
  const { TEXT_MODELS_URL: baseUrl, TEXT_CHAT_MODEL: chat, TEXT_EMBEDDING_MODEL: embedding } = settings;
  const model = chat ?? embedding;
  if (baseUrl === undefined || model === undefined) return undefined;
  const secret = { apiKey: settings.TEXT_MODELS_KEY, timeoutMs: settings.TEXT_MODELS_TIMEOUT_MS };
  const endpoint = context.resources.use(openModelEndpoint({ baseUrl, model, ...secret }, context.log));
  return {
    categoriser: categoriserOf(endpoint, settings, embedded.categoriser),
    scorer: chat === undefined ? embedded.scorer : createOpenAiScorer(endpoint, chat, embedded.scorer),
  };
}

function categoriserOf(endpoint: ModelEndpoint, settings: Settings, embedded: Categoriser): Categoriser {
  const { TEXT_CHAT_MODEL: chat, TEXT_EMBEDDING_MODEL: embedding, TEXT_EMBEDDING_THRESHOLD: threshold } = settings;
  if (embedding !== undefined) return createEmbeddingCategoriser(endpoint, { model: embedding, threshold }, embedded);
  return chat === undefined ? embedded : createOpenAiCategoriser(endpoint, chat, embedded);
}
