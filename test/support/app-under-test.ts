import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createApiKey, parseApiKey } from '@survey/formats/api-key.ts';
import { startService, type Service, type ServiceContext } from '@survey/process/service.ts';
import type { Page } from '@survey/proto/common/v1/page.ts';
import { ExportServiceDefinition, type ListEmployeesRequest } from '@survey/proto/export/v1/export.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { ScoringServiceDefinition, type GetScoreRequest } from '@survey/proto/scoring/v1/scoring.ts';
import { TextServiceDefinition } from '@survey/proto/text/v1/text.ts';
import type { ServiceDefinition } from '@survey/rpc/definition.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import { serve, type Handlers } from '@survey/rpc/serve.ts';
import { connectUpstream } from '@survey/rpc/upstream.ts';
import { createApp } from '@survey/gateway/app.ts';
import { serveHttp } from '@survey/gateway/http/http-server.ts';
import type { KeyState } from '@survey/gateway/keys/find-api-keys.ts';
import { openKeyUsage } from '@survey/gateway/keys/key-usage.ts';
import { openRequestCount } from '@survey/gateway/overload/limit-rate.ts';
import { openRedis } from '@survey/process/open-redis.ts';

// The gateway's HTTP server with upstream services that respond over real gRPC. The services have
// tests of their own; test/system covers all of them together.
export const PAGE = Buffer.from(JSON.stringify({ total_count: 1, employees: [{ id: 1 }] }));
export const keys = { read: createApiKey('read').key, 'employees:write': createApiKey('employees:write').key };

interface Upload {
  head: unknown;
  body: Buffer[];
  outcome: 'whole' | 'cut off';
}

/** Records the calls that the upstream services receive. */
export class Behind {
  listed: ListEmployeesRequest[] = [];
  accounts: (number | undefined)[] = [];
  scores: GetScoreRequest[] = [];
  uploads: Upload[] = [];
  // Delays the responses of export.
  untilListed: Promise<unknown> = Promise.resolve();
  // Delays the response of import-reconciler once it has received a whole body.
  untilImported: Promise<unknown> = Promise.resolve();
  // Delays the responses of text-analysis, and counts its calls.
  untilTexts: Promise<unknown> = Promise.resolve();
  textsAsked = 0;
  // Delays key lookups, and counts them.
  untilKey: Promise<unknown> = Promise.resolve();
  keysAsked = 0;
}

function exportHandlers(behind: Behind): Handlers<ExportServiceDefinition> {
  const list = async (request: ListEmployeesRequest, { accountId }: CallContext): Promise<Page> => {
    behind.listed.push(request);
    behind.accounts.push(accountId);
    await behind.untilListed;
    return request.accept_gzip ? { json: gzipSync(PAGE), gzip: true } : { json: PAGE, gzip: false };
  };
  return {
    listEmployees: list,
    listSurveys: list,
    listQuestions: list,
    listSurveyAssignments: list,
    listInitiatives: list,
    listSurveyCycles: list,
    listAttributes: list,
    listAttributeOptions: list,
  };
}

/**
 * Responds by question: 1 has a score, 2 a suppressed one, 3 an inconsistent one, 4 one with
 * participation; others do not exist.
 */
function scoringHandlers(behind: Behind): Handlers<ScoringServiceDefinition> {
  const unit = 'favorability_percent';
  return {
    getScore: (request) => {
      behind.scores.push(request);
      const [question] = request.question_ids;
      if (question === 1) return Promise.resolve({ score: 0, unit, respondents: 7, suppressed: false });
      if (question === 2) {
        return Promise.resolve({ unit, respondents: 4, suppressed: true, suppression_reason: 'below_anonymity_threshold' });
      }
      if (question === 3) return Promise.resolve({ score: 62.5, unit, respondents: 4, suppressed: true });
      if (question === 4) {
        const participation = { cycles: [{ cycle_id: 'c', assigned: 10, respondents: 5 }] };
        return Promise.resolve({ score: 50, unit, respondents: 5, suppressed: false, participation });
      }
      const because = 'names a question that does not exist';
      return Promise.reject(invalid(`question_ids ${because}`, [{ pointer: '/question_ids', detail: because }]));
    },
    decideTextRelease: () => Promise.resolve({ released_cycle_ids: [], thresholds: Buffer.alloc(0), holds: false }),
    formTextBlocks: () => Promise.resolve({ cells: [] }),
    releaseTextBlocks: () => Promise.resolve({ released_ordinals: [], thresholds: Buffer.alloc(0), holds: false }),
  };
}

function textHandlers(behind: Behind): Handlers<TextServiceDefinition> {
  return {
    listTextResponses: async () => {
      behind.textsAsked += 1;
      await behind.untilTexts;
      return { json: Buffer.from('{"total_count":0,"responses":[]}'), gzip: false };
    },
  };
}

// The only methods that the gateway calls.
const importMethods = { ...ImportServiceDefinition, methods: { startImport: ImportServiceDefinition.methods.startImport } };

function importHandlers(behind: Behind): Handlers<typeof importMethods> {
  return {
    startImport: async (requests, { accountId }) => {
      behind.accounts.push(accountId);
      const upload: Upload = { head: undefined, body: [], outcome: 'cut off' };
      behind.uploads.push(upload);
      for await (const { head, chunk } of requests) {
        upload.head ??= head;
        if (head?.content_type === 'text/not-connected') throw notFound('the REST API integration is not connected');
        if (chunk) upload.body.push(chunk);
        if (chunk?.includes('wrong')) throw invalid('one fault', [{ pointer: '/employees', detail: 'must be an array' }]);
      }
      upload.outcome = 'whole';
      await behind.untilImported;
      return { import_uuid: 'the uuid', is_replay: false };
    },
  };
}

/** Starts the gateway's HTTP server with its upstream services and two keys of account 42. */
export function startAppUnderTest(behind: Behind): Promise<Service> {
  return startService('gateway', { PROBE_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent' }, async (context) => {
    const { log, resources } = context;
    const exportAddress = await serveBehind(ExportServiceDefinition, exportHandlers(behind));
    const importAddress = await serveBehind(importMethods, importHandlers(behind));
    const scoringAddress = await serveBehind(ScoringServiceDefinition, scoringHandlers(behind));
    const textAddress = await serveBehind(TextServiceDefinition, textHandlers(behind));
    const textService = resources.use(connectUpstream(TextServiceDefinition, textAddress, context));
    const exportService = resources.use(connectUpstream(ExportServiceDefinition, exportAddress, context));
    const imports = resources.use(connectUpstream(ImportServiceDefinition, importAddress, context));
    const scoring = resources.use(connectUpstream(ScoringServiceDefinition, scoringAddress, context));
    const limits = {
      requestsPerMinute: 1_000_000,
      maxConcurrentReads: 32,
      maxConcurrentHeavyReadsPerAccount: 8,
      maxEventLoopDelayMs: 10_000,
    };
    // Redis is unavailable.
    const redis = await openRedis({ url: 'redis://127.0.0.1:1', name: 'gateway', commandTimeoutMs: 100 }, context);
    const requestCount = openRequestCount(redis, context);
    const keyUsage = openKeyUsage(() => Promise.resolve(), context);
    const behindApp = { exportService, imports, scoring, textService, importDeadlineMs: 10_000, requestCount, keyUsage, limits };
    const find = async (hash: Buffer): ReturnType<typeof findKey> => {
      behind.keysAsked += 1;
      await behind.untilKey;
      return findKey(hash);
    };
    const app = createApp({ keys: { find, revoke: () => {} }, ...behindApp }, context);
    const server = resources.use(await serveHttp('127.0.0.1:0', app, { requestTimeoutMs: 10_000, log }));
    return { address: server.address, ready: () => Promise.resolve(true) };

    async function serveBehind<D extends ServiceDefinition>(definition: D, handlers: Handlers<D>): Promise<string> {
      const open = async (context: ServiceContext) => ({
        address: await serve('127.0.0.1:0', definition, handlers, context),
        ready: () => Promise.resolve(true),
      });
      const service = resources.use(await startService('behind', { PROBE_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent' }, open));
      return service.address;
    }
  });
}

function findKey(hash: Buffer): Promise<KeyState> {
  const scopes = ['read', 'employees:write'] as const;
  const scope = scopes.find((scope) => parseApiKey(keys[scope])?.hash.equals(hash));
  return Promise.resolve(scope === undefined ? 'unknown' : { accountId: 42, keyId: 'k', scope, rateLimit: null });
}

export async function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  const [answer] = await once(request, 'response');
  answer.resume();
  return answer;
}

/** Sends a request with headers that fetch rejects, such as Expect. */
export function send(url: string, options: { method?: string; headers: Record<string, string> }): Promise<IncomingMessage> {
  const request = httpRequest(url, options);
  request.end();
  return answerTo(request);
}
