import { accountOf } from '@survey/rpc/call-context.ts';
import type { ApiCall, Endpoint } from '../route.ts';
import { Lane } from './lane.ts';

/** What one gateway takes on at the same time. */
export interface ReadLimits {
  // At each endpoint.
  readonly readsAtOnce: number;
  // Of one account, at each service behind.
  readonly heavyReadsPerAccount: number;
}

const LARGE_PAGE = 200;
// Of the places for reads, one in so many for large pages: each takes its service's one thread for milliseconds, and all others wait behind.
const LARGE_PAGE_PLACES = 16;
// Takes all there is for a tenth of a second.
const HUGE_PAGE_BYTES = 2 * 1024 * 1024;
// So many times what is under way may wait for it, half of it of one account.
const WAITING = 16;
const UPLOADS = 64;
// Of these places, and of those to wait: however slowly one account sends, others import meanwhile (ruling J06).
const UPLOADS_PER_ACCOUNT = 56;
// From its headers on a read has two seconds: so much of them for its turn, the rest for the service. One that hangs is not waited for in a row.
const READ_PATIENCE_MS = 1_500;
const UPLOAD_PATIENCE_MS = 10_000;

/**
 * A way to bound each read of a service: a lane for its endpoint, so that one that hangs holds up its own, and lanes that all its endpoints share: for
 * heavy reads by account, for large pages while they are made, and for those of megabytes.
 */
export function boundReads(limits: ReadLimits): (endpoint: Endpoint, isHeavy?: (url: string) => boolean) => Endpoint {
  const { readsAtOnce: places, heavyReadsPerAccount } = limits;
  const heavy = new Lane({
    places: Infinity,
    placesPerAccount: heavyReadsPerAccount,
    waiting: Infinity,
    waitingPerAccount: WAITING * heavyReadsPerAccount,
  });
  const large = laneOf(Math.ceil(places / LARGE_PAGE_PLACES), places);
  const hugeOneByOne = boundHugePages();
  return (endpoint, isHeavy = asksForLargePage) => {
    const lane = laneOf(places);
    const readPage: Endpoint = async (call) => {
      using _place = await enter(lane, call);
      await endpoint(call);
    };
    const readLargePage = hugeOneByOne(readPage);
    const read: Endpoint = async (call) => {
      if (!asksForLargePage(call.request.url)) return readPage(call);
      using _place = await enter(large, call);
      await readLargePage(call);
    };
    return (call) => (isHeavy(call.request.url) ? inPlaceUntilRead(heavy, call, read) : read(call));
  };
}

/** Pages of megabytes are made one at a time. Whose they are, the account's last large page has told. */
function boundHugePages(): (endpoint: Endpoint) => Endpoint {
  const lane = laneOf(1);
  const accounts = new Set<number>();
  return (endpoint) => async (call) => {
    const accountId = accountOf(call.caller);
    using _place = accounts.has(accountId) ? await enter(lane, call) : undefined;
    await endpoint(call);
    const isHuge = Number(call.response.getHeader('Content-Length')) > HUGE_PAGE_BYTES;
    if (isHuge) accounts.add(accountId);
    else accounts.delete(accountId);
  };
}

const laneOf = (places: number, room = places): Lane =>
  new Lane({ places, placesPerAccount: places, waiting: WAITING * room, waitingPerAccount: (WAITING / 2) * room });

const enter = (lane: Lane, call: ApiCall): Promise<Disposable> =>
  lane.enter(accountOf(call.caller), call.signal, patienceMs(call));

/** Uploads take little of a gateway, but not nothing. A second import of an account is refused by the service, not here. */
export function boundUploads(endpoint: Endpoint): Endpoint {
  const lane = new Lane({
    places: UPLOADS,
    placesPerAccount: UPLOADS_PER_ACCOUNT,
    waiting: UPLOADS,
    waitingPerAccount: UPLOADS_PER_ACCOUNT,
  });
  return async (call) => {
    using _place = await lane.enter(accountOf(call.caller), call.signal, UPLOAD_PATIENCE_MS);
    await endpoint(call);
  };
}

// Until the service has answered and the client has read it, or left: till then it takes work there, and memory here.
async function inPlaceUntilRead(lane: Lane, call: ApiCall, read: Endpoint): Promise<void> {
  const place = await enter(lane, call);
  try {
    await read(call);
  } finally {
    if (call.response.destroyed) place[Symbol.dispose]();
    else call.response.once('close', () => place[Symbol.dispose]());
  }
}

const patienceMs = ({ receivedAt }: ApiCall): number => Math.max(0, receivedAt + READ_PATIENCE_MS - performance.now());

function asksForLargePage(url: string): boolean {
  return Number(/[?&]limit=(\d+)/.exec(url)?.[1] ?? 0) > LARGE_PAGE;
}
