import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { oas32 } from 'zod-openapi';
import type { CodeSample } from './code-samples.ts';
import type { OpenApiDocument } from './document.ts';
import { line, markup, type Markup, paragraphs } from './markup.ts';
import { propertyTable, schemaSection, typeOf } from './schema-section.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
html { background: Canvas; color: CanvasText }
body { margin: 0 auto; max-width: 68rem; padding: 1rem 1.5rem 4rem; overflow-wrap: anywhere }
h1, h2, h3 { line-height: 1.25 }
h2 { border-top: 1px solid #8886; margin-top: 3rem; padding-top: 1.5rem }
h3 { margin-top: 2.5rem }
code, pre { font-family: ui-monospace, monospace; font-size: .92em }
pre { overflow-x: auto; padding: .75rem; background: #8882 }
table { border-collapse: collapse; width: 100% }
th, td { border-top: 1px solid #8884; padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top }
th { font-weight: normal; width: 24% }
td:nth-child(2) { width: 26% }
nav ul { columns: 20rem; padding-left: 1.1rem }
p { max-width: 48rem }
summary { cursor: pointer; padding: .35rem 0 }
[hidden] { display: none }
@media (max-width: 40rem) { table, tbody, tr, th, td { display: block; width: auto } td { border: 0 } td:nth-child(2) { width: auto } }
`;

// The search, and requests with a key that stays in the page's memory.
const SCRIPT = readFileSync(new URL('page-script.js', import.meta.url), 'utf8');

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Content-Security-Policy of the page: its own style, script and server, and nothing else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; connect-src 'self'`,
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: oas32.OperationObject & { readonly 'x-codeSamples'?: readonly CodeSample[] };
}

/** Renders the document as one HTML page, without external resources. */
export function documentationPage({ info, paths = {}, components }: OpenApiDocument): string {
  const endpoints = endpointsOf(paths);
  const schemas = Object.entries(components?.schemas ?? {});
  return markup`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${info.title}</title><style>${{ html: STYLE }}</style></head>
<body>
<header>
<h1>${info.title} ${info.version}</h1>
<p>The same as an OpenAPI document: <a href="/openapi.json">/openapi.json</a></p>
${paragraphs(info.description ?? '')}
${pageControls()}</header>
<nav aria-label="Contents">
<h2>Contents</h2>
<ul>
${endpoints.map(endpointLink)}${schemas.map(([name]) => markup`<li><a href="#schema-${name}">${name}</a></li>\n`)}</ul>
</nav>
<main>
<h2>Endpoints</h2>
${endpoints.map(endpointSection)}
<h2>Schemas</h2>
${schemas.map(([name, schema]) => schemaSection(name, schema))}
</main>
<script>${{ html: SCRIPT }}</script>
</body>
</html>
`.html;
}

function endpointsOf(paths: oas32.PathsObject): Endpoint[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get ? [{ method: 'GET', path, operation: get }] : []),
    ...(post ? [{ method: 'POST', path, operation: post }] : []),
  ]);
}

function endpointLink({ method, path, operation: { operationId = '' } }: Endpoint): Markup {
  return markup`<li><a href="#${operationId}"><code>${method} ${path}</code></a></li>\n`;
}

function endpointSection({ method, path, operation }: Endpoint): Markup {
  const { operationId = '', summary = '', description = '', parameters = [], responses = {}, security = [] } = operation;
  const { 'x-codeSamples': samples = [] } = operation;
  const given = parameters.flatMap((parameter) => ('$ref' in parameter ? [] : [parameter]));
  const scopes = security.flatMap((requirement) => Object.values(requirement).flat()).join(', ');
  return markup`<section id="${operationId}">
<h3><code>${method} ${path}</code></h3>
<p><strong>${summary}.</strong> Scope: <code>${scopes}</code></p>
${paragraphs(description)}${parameterTable(given)}${bodySection(operation.requestBody)}<h4>Responses</h4>
<table>
${Object.entries(responses).map(([status, response]) => responseRow(status, response))}</table>
<h4>Examples</h4>
${samples.map(sampleSection)}${method === 'GET' ? tryItForm(path, operationId, given) : []}</section>
`;
}

function sampleSection({ label, source }: CodeSample): Markup {
  return markup`<details><summary>${label}</summary><pre tabindex="0">${source}</pre></details>\n`;
}

function parameterTable(parameters: readonly oas32.ParameterObject[]): Markup {
  const rows = parameters.map(parameterRow);
  return rows.length === 0 ? markup`` : markup`<h4>Parameters</h4>\n<table>\n${rows}</table>\n`;
}

function parameterRow({ name, in: place, schema = {}, description = '', required }: oas32.ParameterObject): Markup {
  const note = required ? ', required' : '';
  return markup`<tr><th scope="row"><code>${name}</code></th><td>${place}: ${typeOf(schema)}${note}</td><td>${line(description)}</td></tr>\n`;
}

function bodySection(body: oas32.OperationObject['requestBody']): Markup {
  if (body === undefined || '$ref' in body) return markup``;
  return markup`<h4>Body</h4>\n<p>${line(body.description ?? '')}</p>\n${jsonIn(body.content)}`;
}

function responseRow(status: string, { description = '', content = {} }: oas32.ResponseObject): Markup {
  return markup`<tr><th scope="row">${status}</th><td colspan="2">${line(description)}${jsonIn(content)}</td></tr>\n`;
}

// All problems have the same form, so their schema suffices.
function jsonIn(content: oas32.ContentObject): Markup {
  const media = content['application/json'];
  if (media === undefined || '$ref' in media) return markup``;
  const { schema = {}, example } = media;
  const sample = example === undefined ? markup`` : markup`<pre tabindex="0">${JSON.stringify(example, undefined, 2)}</pre>\n`;
  return markup`${propertyTable(schema)}${sample}`;
}

/** Renders the fields that apply to the whole page. */
function pageControls(): Markup {
  return markup`<search>
<p><label>Search <input id="search" type="search" autocomplete="off"></label> <span id="found" role="status"></span></p>
</search>
<p><label>API key for requests from this page <input id="key" type="password" autocomplete="off"></label></p>
<p>The key is not stored. It is sent only to this server, in the header of the requests that you send.</p>
`;
}

/** Renders a form that sends a GET. Imports have none, because a snapshot offboards employees. */
function tryItForm(path: string, operationId: string, parameters: readonly oas32.ParameterObject[]): Markup {
  const fields = parameters.filter(({ in: location }) => location === 'query' || location === 'path');
  return markup`<details><summary>Send a request</summary>
<form data-path="${path}" aria-label="Request to ${path}">
${fields.map((parameter) => field(operationId, parameter))}<p><button>Send</button></p>
<pre tabindex="0" role="status" aria-label="Response of ${path}"></pre>
</form>
</details>
`;
}

function field(operationId: string, { name, in: location, required }: oas32.ParameterObject): Markup {
  const id = `${operationId}-${name}`;
  const mark = required === true || location === 'path' ? markup` required` : markup``;
  return markup`<p><label for="${id}"><code>${name}</code></label> <input id="${id}" name="${name}" data-in="${location ?? ''}"${mark}></p>\n`;
}
