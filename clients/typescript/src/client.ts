import pkg from '../package.json' with { type: 'json' };
import { List, type FirstPage, type ListOptions, type Page } from './list.ts';
import type {
  Attribute,
  AttributeOption,
  Employee,
  Filters,
  ImportAccepted,
  Initiative,
  Question,
  Survey,
  SurveyAssignment,
  SurveyCycle,
  TextResponse,
  TextResponseFilters,
} from './resources.ts';
import type { Retries, Retry } from './retry.ts';
import { Scores } from './scores.ts';
import { checkedParameter, checkedQuery, type Query } from './query.ts';
import { sendRequest, type CallOptions, type ClientConfig } from './send-request.ts';
import { SnapshotBody, type Snapshot } from './snapshot.ts';

export interface ClientOptions {
  /** Base URL such as https://survey.example.com; `/v1` at its end is ignored. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Name of your program, sent before the name of this package. */
  readonly userAgent?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly retries?: Partial<Retries> | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Timeout of one attempt of a GET: 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Timeout of one attempt of an import of any size: 900,000 by default. */
  readonly importTimeoutMs?: number | undefined;
}

export interface ImportOptions extends CallOptions {
  /** The same key with the same employees imports nothing further. Default: a random UUID. */
  readonly idempotencyKey?: string | undefined;
  /**
   * Whether to wait, instead of failing with 409, while another import of the account is running.
   * `signal` limits the time.
   */
  readonly waitForRunning?: boolean | undefined;
}

const RETRIES: Retries = { most: 5, firstWaitMs: 500, longestWaitMs: 60_000 };
const PAGE_SIZE = 1000;
const NAME = `${pkg.name.replace('@', '')}/${pkg.version}`;

/** The public API: one method per endpoint. All throw SurveyApiError or SurveyConnectionError. */
export class SurveyClient {
  readonly scores: Scores;
  readonly #config: ClientConfig;
  readonly #importTimeoutMs: number;

  constructor(options: ClientOptions) {
    const { baseUrl, apiKey, userAgent, fetch = globalThis.fetch, retries, onRetry } = options;
    const { timeoutMs = 30_000, importTimeoutMs = 900_000 } = options;
    assertHeaderValue(apiKey, 'apiKey');
    assertTimeout(timeoutMs, 'timeoutMs');
    assertTimeout(importTimeoutMs, 'importTimeoutMs');
    this.#config = {
      baseUrl: rootOf(baseUrl),
      apiKey,
      userAgent: userAgent === undefined ? NAME : `${userAgent} ${NAME}`,
      // Browsers refuse to call fetch as a method of another object.
      fetch: (...request) => fetch(...request),
      retries: { ...RETRIES, ...retries },
      timeoutMs,
      onRetry,
    };
    this.#importTimeoutMs = importTimeoutMs;
    this.scores = new Scores((query, callOptions) => this.#get('/v1/scores', query, ['score'], callOptions));
  }

  /** GET /v1/employees, including deleted ones. */
  employees(options: Filters<'listEmployees'> & ListOptions = {}): List<Employee> {
    return this.#list('/v1/employees', 'employees', ({ id }) => id, options);
  }

  /** GET /v1/surveys. */
  surveys(options: Filters<'listSurveys'> & ListOptions = {}): List<Survey> {
    return this.#list('/v1/surveys', 'surveys', ({ id }) => id, options);
  }

  /** GET /v1/survey_cycles, newest first. */
  surveyCycles(options: Filters<'listSurveyCycles'> & ListOptions = {}): List<SurveyCycle> {
    return this.#list('/v1/survey_cycles', 'cycles', ({ id }) => id, options);
  }

  /** GET /v1/questions, including deleted ones. */
  questions(options: Filters<'listQuestions'> & ListOptions = {}): List<Question> {
    return this.#list('/v1/questions', 'questions', ({ id }) => id, options);
  }

  /** GET /v1/survey_assignments, including historical ones. */
  surveyAssignments(options: Filters<'listSurveyAssignments'> & ListOptions = {}): List<SurveyAssignment> {
    return this.#list('/v1/survey_assignments', 'survey_assignments', ({ id }) => id, options);
  }

  /** GET /v1/initiatives, newest first. */
  initiatives(options: Filters<'listInitiatives'> & ListOptions = {}): List<Initiative> {
    return this.#list('/v1/initiatives', 'initiatives', ({ uuid }) => uuid, options);
  }

  /** GET /v1/attributes: those released for API use. */
  attributes(options: Filters<'listAttributes'> & ListOptions = {}): List<Attribute> {
    return this.#list('/v1/attributes', 'attributes', ({ id }) => id, options);
  }

  /**
   * GET /v1/attributes/{attribute_id}/options. Fails with 404 for an attribute that is not
   * released.
   */
  attributeOptions(attributeId: number, options: Filters<'listAttributeOptions'> & ListOptions = {}): List<AttributeOption> {
    const id = checkedParameter('attribute_id', attributeId);
    return this.#list(`/v1/attributes/${id}/options`, 'options', ({ id }) => id, options);
  }

  /**
   * GET /v1/text_responses. They have no id: a response added to an open cycle during a loop may
   * make the loop return one twice.
   */
  textResponses(options: TextResponseFilters & ListOptions = {}): List<TextResponse> {
    return this.#list('/v1/text_responses', 'responses', undefined, options);
  }

  /**
   * POST /v1/employees/imports. Offboards employees that the import API created and that are not in
   * the snapshot. The response means that the snapshot is valid and queued; the API does not report
   * its outcome.
   */
  async importEmployees(snapshot: Snapshot, options: ImportOptions = {}): Promise<ImportAccepted> {
    const { idempotencyKey = crypto.randomUUID(), timeoutMs = this.#importTimeoutMs, waitForRunning, ...callOptions } = options;
    assertHeaderValue(idempotencyKey, 'idempotencyKey');
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip', 'Idempotency-Key': idempotencyKey };
    const body = new SnapshotBody(snapshot);
    if (waitForRunning === true && !body.isRepeatable)
      throw new TypeError('waitForRunning needs an array of employees, or a function that begins a new iteration');
    const needs = ['import_uuid'];
    const request = { method: 'POST', path: '/v1/employees/imports', headers, body, needs, waitForRunning } as const;
    let replayed = false;
    const onResponse = (response: Response): void => {
      replayed = response.headers.get('Idempotency-Replayed') === 'true';
      callOptions.onResponse?.(response);
    };
    const result = await sendRequest(this.#config, request, { ...callOptions, onResponse, timeoutMs });
    // The success response of this operation, by the OpenAPI document.
    return { ...(result as Omit<ImportAccepted, 'replayed'>), replayed };
  }

  #get(path: string, query: Query, needs: readonly string[], options: CallOptions): Promise<unknown> {
    return sendRequest(this.#config, { method: 'GET', path, query, needs }, options);
  }

  #list<Row>(path: string, array: string, idOf: ((row: Row) => string | number) | undefined, options: ListOptions): List<Row> {
    const { pageSize = PAGE_SIZE, signal, timeoutMs, retries, onRetry, onResponse, ...filters } = options;
    const callOptions = { signal, timeoutMs, retries, onRetry, onResponse };
    if ('limit' in filters || 'offset' in filters)
      throw new TypeError('limit and offset must be left out: pageSize is the size of a page, and toArray takes a maximum');
    checkedQuery(filters);
    const needs = ['total_count', array];
    const pageOf = (body: unknown): Page<Row> => {
      // The types of this resource, by the OpenAPI document.
      const { total_count, [array]: rows } = body as { total_count: number } & Record<string, Row[]>;
      return { total_count, rows: rows ?? [] };
    };
    const read = async (limit: number, offset: number): Promise<Page<Row>> =>
      pageOf(await this.#get(path, { ...filters, limit, offset }, needs, callOptions));
    const readFirst = async (limit: number, etag: string | undefined): Promise<FirstPage<Row> | undefined> => {
      const request = {
        method: 'GET',
        path,
        query: { ...filters, limit, offset: 0 },
        headers: ifNoneMatch(etag),
        needs,
      } as const;
      let current: string | undefined;
      const keepEtag = (response: Response): void => {
        current = response.headers.get('ETag') ?? undefined;
        onResponse?.(response);
      };
      const body = await sendRequest(this.#config, request, { ...callOptions, onResponse: keepEtag });
      return body === undefined ? undefined : { page: pageOf(body), etag: current };
    };
    return new List({ read, readFirst, idOf }, pageSize);
  }
}

// Checked here because `fetch` repeats the value in its error, and every attempt would fail. A key
// read from a file often ends with a line break.
function assertHeaderValue(value: string, name: string): void {
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new TypeError(`${name} must be visible ASCII characters, without spaces or line breaks`);
}

// `*` would match every list, so that none was ever read.
function ifNoneMatch(etag: string | undefined): Record<string, string> {
  if (etag === undefined) return {};
  if (typeof etag !== 'string' || !/^(W\/)?"[\x21\x23-\x7e]*"$/.test(etag))
    throw new TypeError('etag must be the etag of a list, with its quotation marks');
  return { 'If-None-Match': etag };
}

// Paths begin with /v1, which people often copy together with the rest.
function rootOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || `${url.username}${url.search}${url.hash}` !== '')
    throw new TypeError('baseUrl must be an http or https URL without user, password and parameters');
  return url.href.replace(/(\/+(v1)?)*$/, '');
}

function assertTimeout(ms: number, name: string): void {
  if (!Number.isInteger(ms) || ms < 1) throw new RangeError(`${name} must be a positive number of whole milliseconds`);
}
