import type { OpenApiDocument } from '@survey/gateway/openapi/document.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer, Api } from './api.ts';

/** Wraps an API client so that responses not described by the OpenAPI document throw. */
export function conforming(api: Api): Api {
  let document: Promise<Conformance> | undefined;
  const checked = async (method: string, path: string, answer: Answer): Promise<Answer> => {
    // The document as the gateway serves it; another test validates it.
    document ??= api.get('/openapi.json').then(({ body }) => new Conformance(body as OpenApiDocument));
    const faults = (await document).faultsOf(method, path, answer);
    if (faults.length > 0) throw new Error(`${method} ${path} ${answer.status} is not as in /openapi.json: ${faults.join('; ')}`);
    return answer;
  };
  return {
    get: async (path, ...rest) => checked('GET', path, await api.get(path, ...rest)),
    post: async (path, ...rest) => checked('POST', path, await api.post(path, ...rest)),
    send: async (method, path, ...rest) => checked(method, path, await api.send(method, path, ...rest)),
  };
}

/**
 * Validates strictly against a document: customers must tolerate new fields, but all of ours must
 * be described.
 */
export class Conformance {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false });

  constructor(document: OpenApiDocument) {
    this.#document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(closed(document), 'openapi');
  }

  faultsOf(method: string, url: string, { status, headers, body }: Answer): string[] {
    const [path = '', methods = {}] = this.#placeOf(url) ?? [];
    const verb = method.toLowerCase();
    const operation = verb === 'get' || verb === 'post' ? methods[verb] : undefined;
    if (operation === undefined) return [];
    const described = operation.responses?.[String(status)] === undefined ? 'default' : String(status);
    const response = operation.responses?.[described];
    if (response !== undefined && !('content' in response)) return body === '' ? [] : [`${described} has no body`];
    const type = headers.get('content-type') ?? '';
    return this.#faultsAt(['paths', path, verb, 'responses', described, 'content', type, 'schema'], body);
  }

  #faultsAt(pointer: readonly string[], body: unknown): string[] {
    const validate = this.#ajv.getSchema(`openapi#/${pointer.map(escaped).join('/')}`);
    if (validate === undefined) return [`${pointer.join(' ')} is not described`];
    return validate(body) === true
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  #placeOf(url: string) {
    const path = url.split('?', 1)[0] ?? '';
    const places = Object.entries(this.#document.paths ?? {});
    return places.find(([template]) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path));
  }
}

// Disallows properties that the schema does not list.
function closed(document: OpenApiDocument): object {
  const closing = (key: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'properties' in value && key !== 'properties'
      ? { additionalProperties: false, ...value }
      : value;
  return Object(JSON.parse(JSON.stringify(document, closing)));
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
