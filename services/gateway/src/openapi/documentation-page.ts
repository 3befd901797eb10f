import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { oas32 } from 'zod-openapi';
import { PROBLEM_TYPES } from '../http/problem.ts';
import { codeSample, type CodeSample } from './code-samples.ts';
import type { OpenApiDocument } from './document.ts';
import { problemExample } from './examples.ts';
import { joinMarkup, line, markup, type Markup, paragraphs, propertyTable, schemaSection, typeOf } from './schema-section.ts';
import { gzipSync } from 'node:zlib';
import type { Express, RequestHandler } from 'express';
import { methodNotAllowed } from '../endpoints/route.ts';
import { acceptsGzip } from '../http/accept-encoding.ts';
import { checkProtocol } from '../http/http-server.ts';
import { getRequestContext } from '../http/request-context.ts';

// Browsers ask for an icon without the page's permission.
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#48c" d="M1 9h3v6H1zm5-4h3v10H6zm5-4h3v14h-3z"/></svg>';

/**
 * Serves the OpenAPI document and its HTML page, both rendered once. They contain no account data
 * and need no key.
 */
export function mountDocumentation(app: Express, document: OpenApiDocument): void {
  const json = cachedFile('/openapi.json', 'application/json', JSON.stringify(document));
  const page = cachedFile('/docs', 'text/html; charset=utf-8', documentationPage(document), {
    'Content-Security-Policy': PAGE_POLICY,
  });
  const icon = cachedFile('/favicon.ico', 'image/svg+xml', ICON);
  app.get(['/', '/docs/'], (request, response) => {
    getRequestContext(request).route = '/docs';
    response.redirect(308, '/docs');
  });
  for (const [path, answer] of [json, page, icon])
    app.route(path).get(checkProtocol, answer).all(methodNotAllowed(path, 'GET, HEAD'));
}

function cachedFile(path: string, type: string, text: string, headers: Record<string, string> = {}): [string, RequestHandler] {
  const plain = Buffer.from(text);
  const compressed = gzipSync(plain);
  const answer: RequestHandler = (request, response) => {
    getRequestContext(request).route = path;
    const gzip = acceptsGzip(request.headers['accept-encoding']);
    const body = gzip ? compressed : plain;
    response.writeHead(200, {
      ...headers,
      'Content-Type': type,
      'Content-Length': body.length,
      'Cache-Control': 'public, max-age=300',
      Vary: 'Accept-Encoding',
      ...(gzip && { 'Content-Encoding': 'gzip' }),
    });
    response.end(body);
  };
  return [path, answer];
}

const textOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');
const STYLE = textOf('page.css');
// The search, and requests with a key that stays in the page's memory. Node has removed the types
// from the function's text.
const SCRIPT = `${codeSample.toString()}\n${textOf('page-script.js')}`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Content-Security-Policy of the page: its own style, script and server, and nothing else. */
const PAGE_POLICY = [
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
function documentationPage({ info, paths = {}, components }: OpenApiDocument): string {
  const endpoints = endpointsOf(paths);
  const schemas = Object.entries(components?.schemas ?? {});
  const title = `${info.title} ${info.version}`;
  return markup`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${{ html: STYLE }}</style></head>
<body>
<header class="side">
<a class="skip" href="#main">Skip to the reference</a>
<h1>${info.title}</h1>
<p>API ${info.version}, as an <a href="/openapi.json">OpenAPI document</a></p>
<label for="search">Search</label><input id="search" type="search" autocomplete="off">
<p id="found" role="status"></p>
<label for="key">API key for requests from this page; not stored</label><input id="key" type="password" autocomplete="off">
<label for="language">Code in</label><select id="language" autocomplete="off"><option value="Shell">curl</option><option>TypeScript</option><option>Python</option></select>
<nav aria-label="Contents">
${linkGroup('Overview', [markup`<a href="#about">Conventions</a>`])}${linkGroup('Endpoints', endpoints.map(endpointLink))}${linkGroup('Problems', [markup`<a href="#errors">Error catalogue</a>`])}${linkGroup(
    'Schemas',
    schemas.map(([name]) => markup`<a href="#schema-${name}">${name}</a>`),
  )}</nav>
</header>
<main id="main">
<section id="about" class="plain" data-entry>
<h2>Conventions</h2>
${paragraphs(info.description ?? '')}</section>
${endpoints.map(endpointSection)}
${errorCatalogue()}
<section data-group class="plain"><h2>Schemas</h2>
${schemas.map(([name, schema]) => schemaSection(name, schema))}</section>
</main>
<script>${{ html: SCRIPT }}</script>
</body>
</html>
`.html;
}

function linkGroup(title: string, links: readonly Markup[]): Markup {
  return markup`<h2>${title}</h2>\n<ul>\n${links.map((link) => markup`<li>${link}</li>\n`)}</ul>\n`;
}

function endpointsOf(paths: oas32.PathsObject): Endpoint[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get ? [{ method: 'GET', path, operation: get }] : []),
    ...(post ? [{ method: 'POST', path, operation: post }] : []),
  ]);
}

const methodMark = (method: string): Markup => markup`<span class="method ${method.toLowerCase()}">${method}</span>`;

function endpointLink({ method, operation: { operationId = '', summary = '' } }: Endpoint): Markup {
  return markup`<a href="#${operationId}">${methodMark(method)} ${summary}</a>`;
}

// Imports cannot be sent from the page, because a snapshot offboards employees.
function endpointSection({ method, path, operation }: Endpoint): Markup {
  const { operationId = '', summary = '', description = '', parameters = [], responses = {}, security = [] } = operation;
  const { 'x-codeSamples': samples = [] } = operation;
  const inlineParameters = parameters.flatMap((parameter) => ('$ref' in parameter ? [] : [parameter]));
  const scopes = security
    .flatMap((requirement) => Object.values(requirement).flat())
    .map((scope) => markup`<code>${scope}</code>`);
  const canSend = method === 'GET';
  return markup`<section id="${operationId}" data-entry><form class="entry" aria-label="${method} ${path}" data-id="${operationId}" data-path="${path}">
<div class="text">
<h2><a class="anchor" href="#${operationId}">${summary}</a></h2>
<p>${methodMark(method)} <code>${path}</code> <span class="scope">with the scope ${joinMarkup(scopes)}</span></p>
${paragraphs(description)}${parameterTable(operationId, inlineParameters, canSend)}${bodySection(operation.requestBody)}<h3 class="label">Responses</h3>
${responseSections(Object.entries(responses))}</div>
<div class="code">
<div class="panel"><h3 class="label">Request <button class="quiet" type="button" data-copy>Copy</button></h3>
${samples.map(({ lang, label, source }, index) => markup`<pre tabindex="0" role="region" aria-label="${operationId} with ${label}" data-lang="${lang}"${index > 0 ? markup` hidden` : ''}>${source}</pre>\n`)}</div>
<div class="panel"><h3 class="label"><span data-title>Example of a response</span>${canSend ? markup`<button>Send</button>` : ''}</h3>
<pre tabindex="0" role="region" aria-label="Response of ${path}"><output>${exampleOf(responses)}</output></pre>
<details hidden><summary>Headers</summary><pre tabindex="0"></pre></details></div>
</div>
</form></section>
`;
}

function parameterTable(operationId: string, parameters: readonly oas32.ParameterObject[], canSend: boolean): Markup {
  const rows = parameters.map((parameter) => parameterRow(operationId, parameter, canSend));
  return rows.length === 0 ? markup`` : markup`<h3 class="label">Parameters</h3>\n<table>\n${rows}</table>\n`;
}

function parameterRow(
  operationId: string,
  { name, in: place, schema = {}, description = '', required = false }: oas32.ParameterObject,
  canSend: boolean,
): Markup {
  const id = `${operationId}.${name}`;
  const isField = canSend && (place === 'query' || place === 'path');
  const { format, type } = typeof schema === 'object' && !('$ref' in schema) ? schema : {};
  const input = markup`<input id="${id}" name="${name}" data-place="${place}" data-type="${String(format ?? type)}"${required ? markup` required` : ''}>`;
  const label = isField ? markup`<label for="${id}"><code>${name}</code></label>` : markup`<code id="${id}">${name}</code>`;
  return markup`<tr><th scope="row">${label}<span class="type">${place}: ${typeOf(schema)}${required ? ', required' : ''}</span></th><td>${line(description)}${isField ? input : ''}</td></tr>\n`;
}

function bodySection(body: oas32.OperationObject['requestBody']): Markup {
  if (body === undefined || '$ref' in body) return markup``;
  const media = body.content['application/json'];
  if (media === undefined || '$ref' in media) return markup``;
  return markup`<h3 class="label">Body</h3>\n<p>${line(body.description ?? '')}</p>\n${propertyTable(media.schema ?? {})}<pre tabindex="0">${jsonText(media.example)}</pre>\n`;
}

// All problems have the same form, so the others fold into one row of statuses.
function responseSections(responses: readonly (readonly [string, oas32.ResponseObject | oas32.ReferenceObject])[]): Markup {
  const rows = responses.map(([status, response]) => {
    if ('$ref' in response) throw new Error(`cannot show the response ${status}: it is a reference`);
    const media = response.content?.['application/json'];
    const fields = media === undefined || '$ref' in media ? markup`` : propertyTable(media.schema ?? {});
    const isSuccess = status.startsWith('2');
    return {
      isSuccess,
      code: markup`<code>${status}</code>`,
      text: markup`<code>${status}</code> ${line(response.description ?? '')}`,
      fields,
    };
  });
  const [successes, others] = [rows.filter(({ isSuccess }) => isSuccess), rows.filter(({ isSuccess }) => !isSuccess)];
  return markup`${successes.map(({ text, fields }) => markup`<p>${text}</p>\n${fields}`)}<details><summary>Other responses: ${joinMarkup(others.map(({ code }) => code))}</summary>
${others.map(({ text }) => markup`<p>${text}</p>\n`)}<p>Examples: <a href="#errors">error catalogue</a>.</p></details>\n`;
}

function exampleOf(responses: oas32.ResponsesObject): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const media = success === undefined || '$ref' in success ? undefined : success.content?.['application/json'];
  return media === undefined || '$ref' in media ? '' : jsonText(media.example);
}

const jsonText = (value: unknown): string => JSON.stringify(value, undefined, 2);

function errorCatalogue(): Markup {
  const rows = Object.entries(PROBLEM_TYPES).map(([status, [type, title]]) => {
    const example = problemExample('', status);
    const detail = typeof example === 'object' && example !== null && 'detail' in example ? String(example.detail) : '';
    return markup`<tr id="problem-${type}" data-entry><th scope="row"><a class="anchor" href="#problem-${type}">${status}</a> ${title}<span class="type"><code>urn:survey:problem:${type}</code></span></th><td>${detail}</td></tr>\n`;
  });
  return markup`<section id="errors" data-group class="plain">
<h2>Error catalogue</h2>
<p>Every error is a problem document (<a href="#schema-Problem">Problem</a>). Decide by its status and type; the details are examples.</p>
<table class="errors">
${rows}</table>
</section>
`;
}
