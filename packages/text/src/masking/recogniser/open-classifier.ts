import { fileURLToPath } from 'node:url';
import { loadClassifier, type ClassifyWords } from './classify-words.ts';
import { openModelThread } from './model-thread.ts';

/** Folder of the model; `npm run fetch-model` fills it. */
export const MODEL_FOLDER = fileURLToPath(new URL('../../../models/recogniser', import.meta.url));

/** A loaded model. */
interface Classifier {
  readonly classify: ClassifyWords;
  // Digest of its files.
  readonly version: string;
}

/**
 * Loads a model, which runs in a thread of its own.
 * @throws when the model or its library cannot be loaded
 */
export async function openClassifier(folder = MODEL_FOLDER): Promise<Classifier & AsyncDisposable> {
  const thread = await openModelThread(folder);
  try {
    const classify = await loadClassifier(folder, thread.run);
    return { classify, version: thread.version, [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose]() };
  } catch (error) {
    await thread[Symbol.asyncDispose]();
    throw error;
  }
}
