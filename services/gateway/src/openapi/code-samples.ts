export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

interface SampledRequest {
  readonly id: string;
  readonly method: 'get' | 'post';
  // With an example in place of each parameter.
  readonly path: string;
  // Examples of the required parameters.
  readonly query: Readonly<Record<string, string>>;
}

const BASE_URL = 'https://survey.example.com';

// Methods of clients/typescript whose call is more than the name of the list.
const CALLS: Readonly<Record<string, string>> = {
  importEmployees: 'await client.importEmployees(employees)',
  listAttributeOptions: 'await client.attributeOptions(1).toArray()',
  getScore:
    "await client.scores.get({\n  question_ids: [11, 12],\n  period_from: '2024-01-01T00:00:00Z',\n  period_to: '2024-01-31T22:00:00Z',\n})",
};

// Methods of clients/python, with their imports.
const PYTHON_CALLS: Readonly<Record<string, readonly [string, string]>> = {
  importEmployees: ['', 'client.import_employees(employees)'],
  listAttributeOptions: ['', 'list(client.attribute_options(1))'],
  getScore: [
    'from datetime import UTC, datetime\n',
    'client.score([11, 12], datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 31, 22, tzinfo=UTC))',
  ],
};

/** Returns an example call of an operation with curl and the clients for TypeScript and Python. */
export function codeSamples(request: SampledRequest): CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(request) },
    { lang: 'TypeScript', label: 'TypeScript', source: typeScript(request) },
    { lang: 'Python', label: 'Python', source: python(request) },
  ];
}

function curl({ method, path, query }: SampledRequest): string {
  const lines = [`curl ${BASE_URL}${path}`, `-H "X-Api-Key: $SURVEY_KEY"`];
  if (method === 'post') lines.push("-H 'Content-Type: application/json' --data @snapshot.json");
  const parameters = Object.entries(query).map(([name, value]) => `--data-urlencode '${name}=${value}'`);
  // Bounded: the parameters of one operation.
  if (parameters.length > 0) lines.push('--get', ...parameters);
  return lines.join(' \\\n  ');
}

function typeScript({ id }: SampledRequest): string {
  const list = id.replace(/^list(.)/, (_match, first: string) => first.toLowerCase());
  const call = CALLS[id] ?? `await client.${list}().toArray()`;
  return `import { SurveyClient } from '@survey/client';

const client = new SurveyClient({ baseUrl: '${BASE_URL}', apiKey: process.env.SURVEY_KEY });
console.log(${call});`;
}

function python({ id }: SampledRequest): string {
  const list = id
    .replace(/^list/, '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, '_$&')
    .toLowerCase();
  const [head, call] = PYTHON_CALLS[id] ?? ['', `list(client.${list}())`];
  return `import os
${head}from survey_client import SurveyClient

with SurveyClient("${BASE_URL}", os.environ["SURVEY_KEY"]) as client:
    print(${call})`;
}
