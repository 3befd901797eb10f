import type { Row } from './look.ts';
import { POD_ROWS } from './rows-pods.ts';
import { RELEASE_ROWS } from './rows-release.ts';
import { ROLLOUT_ROWS } from './rows-rollout.ts';

/** The checklist of properties that every object of a kind has in every render. */
export const ROWS: readonly Row[] = [...RELEASE_ROWS, ...POD_ROWS, ...ROLLOUT_ROWS];
