import type { AccountVisit, Visit } from '../visit.ts';
import { formToken } from '../form-token.ts';
import { href, html, none, ownMarkup, type Html } from './html.ts';

const stroke = 'viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true"';
const WARNING = ownMarkup(
  `<svg ${stroke}><path d="M8 1.8 15 14H1z" stroke-linejoin="round"/><path d="M8 6.2v3.6M8 11.4v1" stroke-linecap="round"/></svg>`,
);
const DONE = ownMarkup(
  `<svg ${stroke}><circle cx="8" cy="8" r="6.6"/><path d="m5 8.2 2.1 2.1L11.2 6" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
);
const INFO = ownMarkup(
  `<svg ${stroke}><circle cx="8" cy="8" r="6.6"/><path d="M8 7.2v4M8 4.6v.6" stroke-linecap="round"/></svg>`,
);

type Tone = 'bad' | 'warn' | 'good' | 'plain';
const NOTE = { bad: 'note b', warn: 'note w', good: 'note g', plain: 'note' } as const;

/**
 * Renders a message. An error is an alert; a form result is focused, so that screen readers read it
 * first.
 */
export function note(tone: Tone, title: string, body: Html | string = none, { isAlert = false, isFocused = false } = {}): Html {
  const icon = tone === 'good' ? DONE : tone === 'plain' ? INFO : WARNING;
  const role = isAlert ? html` role="alert"` : none;
  const focus = isFocused ? html` tabindex="-1" data-focus` : none;
  return html`<div class="${NOTE[tone]}" ${role}${focus}>
    ${icon}
    <div>
      <h2>${title}</h2>
      ${body === none ? none : html`<div>${body}</div>`}
    </div>
  </div>`;
}

export type Mark = 'on' | 'off' | 'warn' | 'bad';
const TAG = { on: 'tag', off: 'tag off', warn: 'tag w', bad: 'tag b' } as const;

/** Renders a state as a word and a mark whose shape carries the same meaning as its colour. */
export const tag = (mark: Mark, word: string): Html => html`<span class="${TAG[mark]}">${word}</span>`;

export interface HeadOptions {
  readonly lead?: Html | string;
  readonly actions?: Html;
  readonly crumb?: { readonly path: string; readonly text: string };
}

export function head(title: string, { lead, actions, crumb }: HeadOptions = {}): Html {
  return html`${crumb && html`<p class="crumb"><a href="${href(crumb.path)}">${crumb.text}</a></p>`}
    <div class="head">
      <div>
        <h1>${title}</h1>
        ${lead !== undefined && html`<p>${lead}</p>`}
      </div>
      ${actions && html`<div class="row">${actions}</div>`}
    </div>`;
}

export function section(title: string, body: Html, { aside, id }: { aside?: Html | string; id?: string } = {}): Html {
  return html`<section${id === undefined ? none : html` id="${id}"`}>
    <div class="sec"><h2>${title}</h2>${aside !== undefined && html`<span class="muted small">${aside}</span>`}</div>
    ${body}
  </section>`;
}

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => Html | string;
  readonly isNumber?: boolean;
  // Hidden on narrow screens; the row's own page shows it too.
  readonly isOptional?: boolean;
  readonly isAction?: boolean;
}

/** Renders a table with the row's name as its header cell, or one sentence when it is empty. */
export function table<T>(caption: string, columns: readonly Column<T>[], rows: readonly T[], empty: Html | string): Html {
  if (rows.length === 0) return html`<div class="pad muted">${empty}</div>`;
  const classOf = ({ isNumber, isOptional, isAction }: Column<T>): string =>
    [isNumber === true && 'num', isOptional === true && 'opt', isAction === true && 'act'].filter(Boolean).join(' ');
  // Narrow screens show a row as lines, without the head of the table.
  const labelOf = ({ title, isOptional, isAction }: Column<T>): Html =>
    isOptional === true || isAction === true ? none : html`data-label="${title}"`;
  return html`<div class="tw">
    <table>
      <caption class="sr">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col" class="${classOf(column)}">${column.isAction === true ? html`<span class="sr">${column.title}</span>` : column.title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map((column, index) =>
                index === 0
                  ? html`<th scope="row">${column.cell(row)}</th>`
                  : html`<td class="${classOf(column)}" ${labelOf(column)}>${column.cell(row)}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

export const panel = (...parts: readonly Html[]): Html => html`<div class="panel">${parts}</div>`;

interface List {
  readonly title: string;
  // What the text of the search is looked for in, and the parameter of the search.
  readonly field: string;
  readonly name?: string;
  readonly value: string;
  // Further filters.
  readonly filters?: Html;
  readonly rows: Html;
  readonly foot: string;
  // Address of the next page, and links before it.
  readonly next?: string | false;
  readonly links?: Html;
}

/** Renders a list: the search, its rows, and how much of it is shown. */
export function listPanel({ texts }: Visit, list: List): Html {
  const { title, field: label, name = 'q', value, filters = none, rows, foot: shown, next = false, links = none } = list;
  return html`<div class="panel">
    <form class="bar" role="search" aria-label="${title}">
      <label class="sr" for="${name}">${label}</label
      ><input id="${name}" type="search" name="${name}" value="${value}" placeholder="${label}" />${filters}<button>
        ${texts.common.search}
      </button>
    </form>
    ${rows}
    <div class="tfoot">
      <span>${shown}</span><span class="row">${links}${next && html`<a href="${href(next)}">${texts.common.next}</a>`}</span>
    </div>
  </div>`;
}

/** Renders the hidden fields of every form in a session. `path` is the form's action. */
export function formFields({ session }: Visit, path: string): Html {
  if (session === undefined) return none;
  return html`<input type="hidden" name="token" value="${formToken(session, path)}" />`;
}

/** Renders a form that changes data. */
export function form(visit: Visit, path: string, body: Html, className = 'panel'): Html {
  return html`<form class="${className}" method="post" action="${href(path)}">${formFields(visit, path)}${body}</form>`;
}

/** Field errors of a form, by field. */
export type FieldErrors = Readonly<Record<string, string | undefined>>;

interface FieldOptions {
  readonly label: string;
  readonly value?: string;
  readonly hint?: Html | string;
  // Shown below the hint.
  readonly figures?: Html | undefined;
  readonly error?: string | undefined;
}

interface TextOptions extends FieldOptions {
  readonly unit?: string;
  readonly type?: 'text' | 'search' | 'date';
  readonly inputmode?: 'decimal' | 'numeric' | 'text';
  readonly maxLength?: number;
  readonly autocomplete?: string;
}

// A labelled row of a settings form: the setting on the left, its value on the right.
function field(name: string, { label, hint, figures, error }: FieldOptions, control: (attributes: Html) => Html): Html {
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean).join(' ');
  const attributes = html`${error === undefined ? none : html` aria-invalid="true"`}${described === '' ? none : html` aria-describedby="${described}"`}`;
  return html`<div class="set">
    <div><label for="${name}">${label}</label>${hint !== undefined && html`<p id="${name}-hint">${hint}</p>`}${figures}</div>
    <div class="field">${control(attributes)}${error !== undefined && html`<p class="err" id="${name}-error">${error}</p>`}</div>
  </div>`;
}

export function textField(name: string, options: TextOptions): Html {
  const { value = '', unit, type = 'text', inputmode, maxLength, autocomplete = 'off' } = options;
  return field(name, options, (attributes) => {
    const input = html`<input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${inputmode === undefined ? none : html` inputmode="${inputmode}"`}${maxLength === undefined ? none : html` maxlength="${maxLength}"`}${attributes}
    />`;
    return unit === undefined ? input : html`<div class="unit">${input} ${unit}</div>`;
  });
}

/** Renders a field with one value a line. `before` is a control above it. */
export function linesField(name: string, { before, ...options }: FieldOptions & { readonly before?: Html }): Html {
  const { value = '' } = options;
  const rows = Math.min(8, Math.max(4, value.split('\n').length + 1));
  return field(
    name,
    options,
    (attributes) => html`${before}<textarea id="${name}" name="${name}" rows="${rows}" ${attributes}>${value}</textarea>`,
  );
}

interface Choice {
  readonly value: string;
  readonly text: Html | string;
}

export const selectField = (name: string, options: FieldOptions & { readonly choices: readonly Choice[] }): Html =>
  field(name, options, (attributes) => select(name, options.value ?? '', options.choices, attributes));

export function select(name: string, value: string, choices: readonly Choice[], attributes: Html = none): Html {
  return html`<select id="${name}" name="${name}" ${attributes}>
    ${choices.map(
      (choice) =>
        html`<option value="${choice.value}" ${choice.value === value ? html` selected` : none}>${choice.text}</option>`,
    )}
  </select>`;
}

interface ChoiceGroup {
  readonly type: 'radio' | 'checkbox';
  readonly label: string;
  readonly hint?: Html | string;
  readonly values: readonly string[];
  readonly choices: readonly Choice[];
  readonly error?: string | undefined;
}

export function choiceField(name: string, { type, label, hint, values, choices, error }: ChoiceGroup): Html {
  return html`<div class="set">
    <div><b id="${name}-label">${label}</b>${hint !== undefined && html`<p>${hint}</p>`}</div>
    <fieldset aria-labelledby="${name}-label">
      ${choices.map(
        (choice, index) =>
          html`<label class="check"
            ><input
              ${index === 0 ? html`id="${name}"` : none}
              type="${type}"
              name="${name}"
              value="${choice.value}"
              ${values.includes(choice.value) ? html` checked` : none}
            />
            <span>${choice.text}</span></label
          >`,
      )}${error !== undefined && html`<p class="err">${error}</p>`}
    </fieldset>
  </div>`;
}

interface FootOptions {
  readonly danger?: boolean;
  // Stays in view, because something typed is not saved.
  readonly isStuck?: boolean;
  readonly secondButton?: Html;
  readonly aside?: Html | string;
  readonly cancel?: { readonly path: string; readonly text: string };
}

export const foot = (button: string, { danger = false, isStuck = false, secondButton, aside, cancel }: FootOptions = {}): Html =>
  html`<div class="${isStuck ? 'foot stuck' : 'foot'}">
    <button class="${danger ? 'danger fill' : 'primary'}">${button}</button
    >${secondButton}${cancel && html`<a class="btn" href="${href(cancel.path)}">${cancel.text}</a>`}${aside !== undefined && html`<span class="muted small">${aside}</span>`}
  </div>`;

/** Returns a path within the account. */
export const at = ({ account }: Pick<AccountVisit, 'account'>, path: string): string => `/a/${account.id}${path}`;

export const definitions = (pairs: readonly (readonly [string, Html | string])[]): Html =>
  html`<dl class="facts">
    ${pairs.map(
      ([term, value]) =>
        html`<dt>${term}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;

export const figures = (pairs: readonly (readonly [string, Html | string])[]): Html =>
  html`<dl class="stats">
    ${pairs.map(
      ([term, value]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;

/** Renders the replacement for a section whose data could not be read. */
export function orUnavailable<T>({ texts }: Visit, value: T | undefined, show: (value: T) => Html): Html {
  return value === undefined
    ? html`<div class="panel pad muted">${texts.common.sectionUnavailable} <a href="">${texts.common.reload}</a></div>`
    : show(value);
}
