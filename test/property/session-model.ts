/** What a user may see of a session, in the model and in the store. */
export interface Seen {
  readonly name: string;
  readonly authTime: number;
  readonly isReplaced: boolean;
}

interface ModelSession {
  readonly markers: readonly string[];
  readonly begunAt: number;
  readonly endsAt: number;
  // Until when each id serves; the last one is the current one.
  readonly ids: { readonly id: string; servesUntil: number }[];
  idleAt: number;
  name: string;
  authTime: number;
  version: number;
  isEnded: boolean;
}

/** What docs/adr/0030 promises, as plain lists: no scripts, no keys, no expiry. */
export class SessionModel {
  now = 0;
  readonly #sessions: ModelSession[] = [];
  readonly #endedAt = new Map<string, number>();
  #moment = 0;
  readonly #limits: { readonly idleMs: number; readonly maxMs: number; readonly replacedMs: number };

  constructor(limits: { readonly idleMs: number; readonly maxMs: number; readonly replacedMs: number }) {
    this.#limits = limits;
  }

  moment(): number {
    return (this.#moment += 1);
  }

  start(id: string | undefined, markers: readonly string[], begunAt: number, value: Omit<Seen, 'isReplaced'>): boolean {
    if (this.#isEnded(markers, begunAt)) return false;
    const { idleMs, maxMs } = this.#limits;
    const times = { begunAt, idleAt: this.now + idleMs, endsAt: this.now + maxMs };
    const ids = [{ id: id ?? '', servesUntil: Infinity }];
    this.#sessions.push({ markers, ids, ...times, ...value, version: 1, isEnded: false });
    return true;
  }

  find(id: string): (Seen & { version: number }) | undefined {
    const session = this.#alive(id);
    if (session === undefined) return undefined;
    const isReplaced = session.ids.at(-1)?.id !== id;
    if (!isReplaced) session.idleAt = this.now + this.#limits.idleMs;
    const { name, version, authTime } = session;
    return { name, version, isReplaced, authTime: isReplaced ? 0 : authTime };
  }

  save(id: string, version: number, value: Omit<Seen, 'isReplaced'>): boolean {
    const session = this.#alive(id);
    if (session === undefined || session.ids.at(-1)?.id !== id || session.version !== version) return false;
    Object.assign(session, value, { version: version + 1, idleAt: this.now + this.#limits.idleMs });
    return true;
  }

  rotate(id: string, next: string | undefined, version: number, value: Omit<Seen, 'isReplaced'>): boolean {
    if (!this.save(id, version, value)) return false;
    const ids = this.#alive(id)?.ids;
    // Of the replaced ids, only the last one serves reads.
    for (const each of ids ?? []) each.servesUntil = each.id === id ? this.now + this.#limits.replacedMs : 0;
    ids?.push({ id: next ?? '', servesUntil: Infinity });
    return true;
  }

  end(id: string): void {
    const session = this.#alive(id);
    if (session !== undefined) session.isEnded = true;
  }

  endAll(marker: string): void {
    this.#endedAt.set(marker, this.moment());
  }

  #alive(id: string): ModelSession | undefined {
    const session = this.#sessions.find(({ ids }) => ids.some((each) => each.id === id && this.now < each.servesUntil));
    if (session === undefined || session.isEnded || this.#isEnded(session.markers, session.begunAt)) return undefined;
    return this.now < session.idleAt && this.now < session.endsAt ? session : undefined;
  }

  #isEnded(markers: readonly string[], begunAt: number): boolean {
    return markers.some((marker) => (this.#endedAt.get(marker) ?? -1) >= begunAt);
  }
}
