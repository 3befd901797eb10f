import { parentPort, workerData } from 'node:worker_threads';
import { trainTopics } from './train-topics.ts';
import type { TrainingSet } from './train-in-worker.ts';

// Started only by train-in-worker.ts.
const { topics, examples } = workerData as TrainingSet;
parentPort?.postMessage(trainTopics(topics, examples));
