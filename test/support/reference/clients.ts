import type { OpenApiDocument } from '@survey/gateway/openapi/document.ts';

/** Sources of clients and connectors. */
export interface ClientSources {
  readonly typescript: string;
  // Query and path parameters that the TypeScript client sends.
  readonly sent: ReadonlySet<string>;
  readonly python: string;
  readonly dlt: string;
  readonly airbyte: string;
}

// What the Python client calls parameters that it handles for every list.
const PAGING: Readonly<Record<string, string>> = { limit: 'page_size', offset: 'page_size' };
// Where the clients mention a header.
const HEADERS: Readonly<Record<string, readonly [typescript: string, python: string]>> = {
  'Idempotency-Key': ['idempotencyKey', 'idempotency_key'],
  'Content-Encoding': ['Content-Encoding', 'JSON_GZIP'],
  // Every list has unlessChangedSince and unless_changed_since.
  'If-None-Match': ['this.#list(', '-> List['],
};

/**
 * Returns a table of what offers each operation and parameter of the API, and the lines that a
 * client lacks. Connectors read whole lists: only their operations are compared.
 */
export function clientParity({ paths }: OpenApiDocument, sources: ClientSources): { table: string; gaps: string[] } {
  const rows: string[] = [];
  const gaps: string[] = [];
  for (const [path, methods] of Object.entries(paths ?? {})) {
    for (const [verb, { parameters = [] }] of Object.entries(methods)) {
      const operation = `${verb.toUpperCase()} ${path}`;
      const typescript = blockOf(sources.typescript.split('/**'), operation);
      const python = blockOf(sources.python.split(/^ *(?:async )?def /m), operation);
      const [method = ''] = python.split('(');
      const [signature = ''] = python.split('"""');
      const inManifest = path.slice('/v1/'.length).replaceAll(/\{(\w+)\}/g, '{{ stream_partition.$1 }}');
      const connectors = [
        method !== '' && (sources.dlt.includes(`"${method}"`) || sources.dlt.includes(`client.${method}(`)),
        [`path: ${inManifest} `, `path: ${inManifest},`, `path: '${inManifest}'`].some((text) => sources.airbyte.includes(text)),
      ];
      add(`\`${operation}\` |`, [typescript !== '', python !== ''], connectors.map(answer));
      for (const one of parameters) {
        if (!('name' in one)) continue;
        const [header, headerInPython] = HEADERS[one.name] ?? [];
        const inTypescript = header === undefined ? sources.sent.has(one.name) : typescript.includes(header);
        const inPython = python.includes(headerInPython ?? '\0') || signature.includes(`${PAGING[one.name] ?? one.name}:`);
        add(`| \`${one.name}\``, [inTypescript, inPython], ['', '']);
      }
    }
  }
  const head = ['| Operation | Parameter | TypeScript | Python | dlt | Airbyte |', '|---|---|---|---|---|---|'];
  return { table: [...head, ...rows, ''].join('\n'), gaps };

  function add(name: string, clients: readonly boolean[], connectors: readonly string[]): void {
    rows.push(`| ${name} | ${[...clients.map(answer), ...connectors].join(' | ')} |`);
    if (clients.includes(false)) gaps.push(name);
  }
}

const answer = (offered: boolean): string => (offered ? 'yes' : 'no');

// The documentation of each method begins with its operation.
function blockOf(blocks: readonly string[], operation: string): string {
  return blocks.find((block) => [' ', '.', ',', ':'].some((end) => block.includes(`${operation}${end}`))) ?? '';
}
