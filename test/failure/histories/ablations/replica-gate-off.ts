// Ablation, loaded before export: every replica seems to have replayed everything.
import { rewriteStatements } from './statements.ts';

rewriteStatements((text) => text.replaceAll('pg_last_wal_replay_lsn()', "'FFFFFF/0'::pg_lsn"));
