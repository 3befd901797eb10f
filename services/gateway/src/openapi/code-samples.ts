export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export interface SampledRequest {
  readonly id: string;
  readonly method: 'get' | 'post';
  // With an example in place of each parameter.
  readonly path: string;
  // Examples of the required parameters.
  readonly query: Readonly<Record<string, string>>;
}

const BASE_URL = 'https://survey.example.com';

// Methods of packages/client whose call is more than the name of the list.
const CALLS: Readonly<Record<string, string>> = {
  importEmployees: 'await client.importEmployees(employees)',
  listAttributeOptions: 'await client.attributeOptions(1).toArray()',
  getScore:
    "await client.scores.get({\n  question_ids: [11, 12],\n  period_from: '2024-01-01T00:00:00Z',\n  period_to: '2024-01-31T22:00:00Z',\n})",
};

/** Returns an example call of an operation with curl, the TypeScript client and Python. */
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

function python({ method, path, query }: SampledRequest): string {
  const options = [`headers={"X-Api-Key": os.environ["SURVEY_KEY"]}`];
  if (method === 'post') options.push('json={"employees": employees}');
  if (Object.keys(query).length > 0) options.push(`params=${JSON.stringify(query)}`);
  return `import os, requests

response = requests.${method}(
    "${BASE_URL}${path}",
    ${options.join(',\n    ')},
    timeout=30,
)
response.raise_for_status()
print(response.json())`;
}
