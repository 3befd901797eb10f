export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** A parameter and its value, as text. */
interface SampledValue {
  readonly name: string;
  readonly place: 'path' | 'query';
  readonly type: string;
  readonly value: string;
}

interface SampledRequest {
  readonly id: string;
  // With the names of its parameters in braces.
  readonly path: string;
  readonly values: readonly SampledValue[];
}

const BASE_URL = 'https://survey.example.com';

const LANGUAGES = { Shell: 'curl', TypeScript: 'TypeScript', Python: 'Python' } as const;
export type Language = keyof typeof LANGUAGES;

/** Returns an example call of an operation with curl and the clients for TypeScript and Python. */
export function codeSamples(request: SampledRequest): CodeSample[] {
  return Object.entries(LANGUAGES).map(([lang, label]) => ({
    lang,
    label,
    source: codeSample(lang as Language, BASE_URL, request),
  }));
}

/**
 * Writes a request as code. The reference runs this function's text in the browser, to show the
 * request that somebody fills in: it must not use anything outside of itself.
 */
export function codeSample(lang: Language, baseUrl: string, { id, path, values }: SampledRequest): string {
  const listName = id.replace(/^list(.)/, (_match, first: string) => first.toLowerCase());
  const quoted = (text: string): string => JSON.stringify(text);
  const literal = ({ name, type, value }: SampledValue, yes: string, no: string): string => {
    const one = (text: string): string => (/^-?\d+$/.test(text) ? text : quoted(text));
    if (name.endsWith('_ids')) return `[${value.split(',').map(one).join(', ')}]`;
    if (type === 'boolean') return value === 'true' ? yes : no;
    return type === 'integer' ? one(value) : quoted(value);
  };
  // The clients page by themselves.
  const filled = values.filter(({ name, value }) => value !== '' && name !== 'limit' && name !== 'offset');
  const positional = filled.filter(({ place }) => place === 'path');
  const filters = filled.filter(({ place }) => place === 'query');
  const isImport = id === 'importEmployees';

  if (lang === 'TypeScript') {
    const options = filters.map((each) => `  ${each.name}: ${literal(each, 'true', 'false')},\n`).join('');
    const args = [...positional.map((each) => literal(each, 'true', 'false')), ...(options === '' ? [] : [`{\n${options}}`])];
    const call = isImport
      ? "client.importEmployees(() => createReadStream('snapshot.json'))"
      : id === 'getScore'
        ? `client.scores.get(${args.join(', ')})`
        : `client.${listName}(${args.join(', ')}).toArray()`;
    const imports = isImport ? "import { createReadStream } from 'node:fs';\n" : '';
    return `${imports}import { SurveyClient } from '@survey/client';\n\nconst client = new SurveyClient({\n  baseUrl: '${baseUrl}',\n  apiKey: process.env.SURVEY_KEY ?? '',\n});\nconsole.log(await ${call});`;
  }
  if (lang === 'Python') {
    const snake = listName.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const keywordArguments = filters.map((each) =>
      each.type === 'date-time'
        ? `${each.name}=datetime.fromisoformat(${quoted(each.value)})`
        : `${each.name}=${literal(each, 'True', 'False')}`,
    );
    const args = [...positional.map((each) => literal(each, 'True', 'False')), ...keywordArguments].join(', ');
    const call = isImport
      ? 'client.import_employees(json.load(file)["employees"])'
      : id === 'getScore'
        ? `client.score(${args})`
        : `list(client.${snake}(${args}))`;
    const imports = keywordArguments.some((each) => each.includes('datetime')) ? 'from datetime import datetime\n' : '';
    const [json, file] = isImport ? ['import json\n', 'open("snapshot.json") as file, '] : ['', ''];
    return `${json}import os\n${imports}from survey_client import SurveyClient\n\nwith ${file}SurveyClient("${baseUrl}", os.environ["SURVEY_KEY"]) as client:\n    print(${call})`;
  }
  const shell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const url = positional.reduce((text, each) => text.replace(`{${each.name}}`, encodeURIComponent(each.value)), path);
  const query = values.filter(({ place, value }) => place === 'query' && value !== '');
  return [
    `curl ${baseUrl}${url}`,
    '-H "X-Api-Key: $SURVEY_KEY"',
    ...(isImport
      ? ["-H 'Content-Type: application/json'", '-H "Idempotency-Key: $(uuidgen)"', '--data-binary @snapshot.json']
      : []),
    ...(query.length > 0 ? ['--get'] : []),
    ...query.map(({ name, value }) => `--data-urlencode ${shell(`${name}=${value}`)}`),
  ].join(' \\\n  ');
}
