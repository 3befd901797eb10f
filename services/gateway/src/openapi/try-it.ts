import { readFileSync } from 'node:fs';
import type { oas32 } from 'zod-openapi';
import { markup, type Markup } from './markup.ts';

/** Script of the page: the search, and requests with a key that stays in the page's memory. */
export const SCRIPT = readFileSync(new URL('page-script.js', import.meta.url), 'utf8');

/** Renders the fields that apply to the whole page. */
export function pageControls(): Markup {
  return markup`<search>
<p><label>Search <input id="search" type="search" autocomplete="off"></label> <span id="found" role="status"></span></p>
</search>
<p><label>API key for requests from this page <input id="key" type="password" autocomplete="off"></label></p>
<p>The key is not stored. It is sent only to this server, in the header of the requests that you send.</p>
`;
}

/** Renders a form that sends a GET. Imports have none, because a snapshot offboards employees. */
export function tryItForm(path: string, operationId: string, parameters: readonly oas32.ParameterObject[]): Markup {
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
