/** What a customer does in a night: one of the imports, then one client reads all employees. */
export type NightWork = 'unchanged' | 'changed' | 'export';

export type NightCosts = Readonly<Record<NightWork, Line>>;

/** Costs that grow linearly with the number of employees. */
export interface Line {
  // Seconds on an idle machine, for no and for each employee.
  readonly seconds: readonly [number, number];
  // Seconds of processor time, by process.
  readonly processors: Readonly<Record<string, readonly [number, number]>>;
}

export interface Customer {
  readonly employees: number;
  // Seconds after the start of the window at which the customer sends its snapshot.
  readonly sendsAt: number;
  // Whether 1 % of its employees have changed.
  readonly isChanged: boolean;
}

/** What a night came to, predicted or measured. */
export interface Night {
  readonly processorSeconds: Readonly<Record<string, number>>;
  // Of each import, from the first byte sent to the end, in seconds.
  readonly importSeconds: readonly number[];
  // When the last export ended.
  readonly endsAt: number;
  // Processors in use at the busiest five minutes; undefined when not known.
  readonly busiest?: number;
}

/** Draws customers of log-normal sizes within limits, who send at any time of a window. */
export function drawCustomers(
  count: number,
  { median, spread, smallest, largest, windowSeconds, changed }: Customers,
  random: () => number,
): Customer[] {
  return Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const employees = Math.round(Math.min(largest, Math.max(smallest, median * Math.exp(spread * normal))));
    return { employees, sendsAt: random() * windowSeconds, isChanged: random() < changed };
  }).toSorted((a, b) => a.sendsAt - b.sendsAt);
}

export interface Customers {
  // Employees of a customer.
  readonly median: number;
  // Standard deviation of the logarithm.
  readonly spread: number;
  readonly smallest: number;
  readonly largest: number;
  readonly windowSeconds: number;
  // Share of snapshots with changes.
  readonly changed: number;
}

const BUSIEST_SECONDS = 300;

interface Work {
  readonly customer: Customer;
  readonly startsAt: number;
  // Seconds of work left, at the pace of an idle machine.
  left: number;
  // Processors that it uses at that pace.
  readonly pace: number;
  readonly kind: NightWork;
}

/**
 * Predicts a night. Work runs at the pace of an idle machine while the processors suffice, and more
 * slowly, all alike, while they do not.
 */
export function predictNight(costs: NightCosts, customers: readonly Customer[], processors: number): Night {
  const waiting = customers.map((customer) => workOf(costs, customer, customer.sendsAt, importOf(customer)));
  const running = new Set<Work>();
  const importSeconds: number[] = [];
  const used: number[] = [];
  let now = 0;
  while (waiting.length + running.size > 0) {
    const demand = [...running].reduce((sum, { pace }) => sum + pace, 0);
    const speed = Math.min(1, processors / Math.max(demand, Number.EPSILON));
    const nextStart = waiting[0]?.startsAt ?? Number.POSITIVE_INFINITY;
    const nextEnd = now + Math.min(...[...running].map(({ left }) => left / speed));
    const until = Math.min(nextStart, nextEnd);
    addUse(used, now, until, Math.min(demand, processors));
    for (const work of running) work.left -= (until - now) * speed;
    now = until;
    if (nextStart <= nextEnd) running.add(waiting.shift() as Work);
    else
      for (const work of [...running].filter(({ left }) => left <= 1e-9)) {
        running.delete(work);
        if (work.kind === 'export') continue;
        importSeconds.push(now - work.startsAt);
        running.add(workOf(costs, work.customer, now, 'export'));
      }
  }
  return {
    processorSeconds: processorSecondsOf(costs, customers),
    importSeconds,
    endsAt: now,
    busiest: Math.max(...Object.values(used)),
  };
}

function workOf(costs: NightCosts, customer: Customer, startsAt: number, kind: NightWork): Work {
  const line = costs[kind];
  const left = at(line.seconds, customer.employees);
  const processors = Object.values(line.processors).reduce((sum, each) => sum + at(each, customer.employees), 0);
  return { customer, startsAt, left, pace: processors / left, kind };
}

function importOf({ isChanged }: Customer): NightWork {
  return isChanged ? 'changed' : 'unchanged';
}

function processorSecondsOf(costs: NightCosts, customers: readonly Customer[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const customer of customers)
    for (const kind of [importOf(customer), 'export'] as const)
      for (const [name, line] of Object.entries(costs[kind].processors))
        sums[name] = (sums[name] ?? 0) + at(line, customer.employees);
  return sums;
}

// Adds the share of each five minutes that the time from `from` to `until` takes.
function addUse(used: number[], from: number, until: number, processors: number): void {
  for (let slot = Math.floor(from / BUSIEST_SECONDS); slot * BUSIEST_SECONDS < until; slot += 1) {
    const seconds = Math.min(until, (slot + 1) * BUSIEST_SECONDS) - Math.max(from, slot * BUSIEST_SECONDS);
    used[slot] = (used[slot] ?? 0) + (processors * seconds) / BUSIEST_SECONDS;
  }
}

/** Fits a line with small relative errors through sizes and costs; both parts are at least zero. */
export function fitLine(points: readonly (readonly [size: number, cost: number])[]): [number, number] {
  const weights = points.map(([, cost]) => 1 / Math.max(cost, Number.EPSILON) ** 2);
  const sum = (of: (size: number, cost: number) => number): number =>
    points.reduce((total, [size, cost], index) => total + (weights[index] ?? 0) * of(size, cost), 0);
  const all = sum(() => 1);
  const [x, y] = [sum((size) => size) / all, sum((_, cost) => cost) / all];
  const slope = Math.max(0, sum((size, cost) => (size - x) * (cost - y)) / sum((size) => (size - x) ** 2));
  return [Math.max(0, y - slope * x), slope];
}

/** Returns the cost at a size. */
export function at([fixed, each]: readonly [number, number], size: number): number {
  return fixed + each * size;
}
