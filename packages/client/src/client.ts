import { randomUUID } from 'node:crypto';
import { sendRequest, type ClientConfig } from './send-request.ts';
import { List, type ListOptions, type Page } from './list.ts';
import type {
  Attribute,
  AttributeOption,
  Employee,
  Filters,
  ImportAccepted,
  Initiative,
  Question,
  Score,
  ScoreQuery,
  Survey,
  SurveyAssignment,
  SurveyCycle,
  TextResponse,
  TextResponseFilters,
} from './resources.ts';
import type { Retries } from './retry.ts';
import { SnapshotBody, type Snapshot } from './snapshot.ts';

export interface ClientOptions {
  // Base URL such as https://survey.example.com, without /v1.
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly retries?: Partial<Retries>;
  // Timeout of one attempt of a GET.
  readonly timeoutMs?: number;
  // Timeout of one attempt of an import of any size.
  readonly importTimeoutMs?: number;
}

export interface ImportOptions {
  // Repeating a key with the same employees imports nothing further. Default: a random key.
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

const RETRIES: Retries = { most: 5, firstWaitMs: 500, longestWaitMs: 60_000 };
const PAGE_SIZE = 1000;

/** The public API: one method per endpoint. All throw SurveyApiError or SurveyConnectionError. */
export class SurveyClient {
  readonly #service: ClientConfig;
  readonly #importTimeoutMs: number;

  constructor(options: ClientOptions) {
    const { baseUrl, apiKey, fetch = globalThis.fetch, retries, timeoutMs = 30_000, importTimeoutMs = 900_000 } = options;
    assertHeaderValue(apiKey, 'apiKey');
    assertHttpUrl(baseUrl);
    this.#service = { baseUrl, apiKey, fetch, retries: { ...RETRIES, ...retries }, timeoutMs };
    this.#importTimeoutMs = importTimeoutMs;
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
    return this.#list(`/v1/attributes/${attributeId}/options`, 'options', ({ id }) => id, options);
  }

  /**
   * GET /v1/text_responses. They have no id: a response added to an open cycle during a loop may
   * make the loop return one twice.
   */
  textResponses({ pageSize, signal, ...filters }: TextResponseFilters & ListOptions = {}): List<TextResponse> {
    const lists = Object.entries(filters).map(([name, ids]: [string, readonly unknown[]]) => [name, ids.join(',')]);
    return this.#list('/v1/text_responses', 'responses', undefined, { pageSize, signal, ...Object.fromEntries(lists) });
  }

  /**
   * GET /v1/scores. A score of too few respondents is null with `suppressed` true, which is not an
   * error.
   */
  async score({ question_ids, ...period }: ScoreQuery, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Score> {
    const query = { question_ids: question_ids.join(','), ...period };
    // The success response of this operation, by the OpenAPI document.
    return (await sendRequest(this.#service, { method: 'GET', path: '/v1/scores', query, signal })) as Score;
  }

  /**
   * POST /v1/employees/imports. Offboards employees that the import API created and that are not in
   * the snapshot. The response means that the snapshot is valid and queued; the API does not report
   * its outcome.
   */
  async importEmployees(
    snapshot: Snapshot,
    { idempotencyKey = randomUUID(), signal }: ImportOptions = {},
  ): Promise<ImportAccepted> {
    assertHeaderValue(idempotencyKey, 'idempotencyKey');
    const service = { ...this.#service, timeoutMs: this.#importTimeoutMs };
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip', 'Idempotency-Key': idempotencyKey };
    const body = new SnapshotBody(snapshot);
    const answer = await sendRequest(service, { method: 'POST', path: '/v1/employees/imports', headers, body, signal });
    // The success response of this operation, by the OpenAPI document.
    return answer as ImportAccepted;
  }

  #list<Row>(path: string, array: string, idOf: ((row: Row) => string | number) | undefined, options: ListOptions): List<Row> {
    const { pageSize = PAGE_SIZE, signal, ...filters } = options;
    const read = async (limit: number, offset: number): Promise<Page<Row>> => {
      const query = { ...filters, limit, offset };
      return pageIn(await sendRequest(this.#service, { method: 'GET', path, query, signal }), array);
    };
    return new List({ read, idOf }, pageSize);
  }
}

// Checked here because `fetch` repeats the value in its error, and every attempt would fail. A key
// read from a file often ends with a line break.
function assertHeaderValue(value: string, name: string): void {
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new TypeError(`${name} must be visible ASCII characters, without spaces or line breaks`);
}

function assertHttpUrl(baseUrl: string): void {
  const url = URL.parse(baseUrl);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '')
    throw new TypeError('baseUrl must be an http or https URL without user and password');
}

// Common list conventions (docs/rules/lists.md). Checked, because any other body would silently
// count as the end of the list.
function pageIn<Row>(answer: unknown, array: string): Page<Row> {
  const { total_count, [array]: rows } = Object(answer) as Record<string, unknown>;
  if (typeof total_count !== 'number' || !Array.isArray(rows)) throw new TypeError(`the answer is no page of ${array}`);
  // The array's type for this resource, by the OpenAPI document.
  return { total_count, rows: rows as Row[] };
}
