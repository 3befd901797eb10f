/** Options of `npm run test:faults`. */
export interface FaultOptions {
  readonly seed: number;
  // Repetitions of each part.
  readonly rounds: number;
  // Random faults per round.
  readonly faults: number;
  // Duration of each outage.
  readonly seconds: number;
  // Name of the only schedule to run; default: all.
  readonly schedule?: string;
}
