import type { Attribute, AttributeValue, AttributeValueChange } from '@survey/proto/admin/v1/admin.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { notFoundPage } from '../page-error.ts';
import { isTyped, stepUpNeeded } from '../sign-in/step-up.ts';
import { formPage, integerIn, rejection } from '../views/form-results.ts';
import { changedFields, shownField } from '../views/shown-values.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, choiceField, type FieldErrors, foot, form, listPanel, note, table, textField } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { findAttribute } from './attributes-page.ts';

const PAGE = 50;
const MAX_NAME = 255;
// The field of the message has 32 bits.
const LAST = 2 ** 31 - 1 - PAGE;

const valuesPath = (visit: AccountVisit, attribute: Attribute): string =>
  at(visit, `/attributes/${attribute.attribute_id}/values`);

export async function getValues(visit: AccountVisit): Promise<Reply> {
  const { texts, format, query } = visit;
  const { values: t } = texts;
  const attribute = await findAttribute(visit);
  const [search, from] = [query.get('q') ?? '', Math.min(integerIn(query, 'from') ?? 0, LAST)];
  const request = { attribute: attribute.name, search, limit: PAGE, offset: from };
  const { values, total_count: total } = await visit.admin.listAttributeValues(request);
  const next = new URLSearchParams({ q: search, from: String(from + PAGE) });
  const title = t.title(attribute.name);
  const body = listPanel(visit, {
    title,
    field: texts.imports.value,
    value: search,
    rows: valueTable(visit, attribute, values),
    foot: texts.common.of(format.number(values.length), format.number(total)),
    next: from + PAGE < total && `?${next.toString()}`,
  });
  const crumb = { path: at(visit, '/attributes'), text: texts.attributes.title };
  return formPage(visit, title, { section: 'attributes', lead: t.lead, crumb }, body);
}

function valueTable(visit: AccountVisit, attribute: Attribute, values: readonly AttributeValue[]): Html {
  const { texts, format } = visit;
  const { values: t } = texts;
  const action = ({ option_id, name, new_name }: AttributeValue) =>
    new_name == null
      ? html`<a class="btn link" href="${`${valuesPath(visit, attribute)}/${option_id}`}"
          >${t.change}…<span class="sr"> ${name}</span></a
        >`
      : html`<span class="muted small">${t.changing}</span>`;
  return table<AttributeValue>(
    t.title(attribute.name),
    [
      {
        title: texts.imports.value,
        cell: ({ name, other_names: others }) =>
          html`<bdi>${name}</bdi
            >${others.length > 0 && html`<br /><span class="muted small">${t.otherNames} ${others.map((other, index) => html`${index > 0 && ', '}<bdi>${other}</bdi>`)}</span>`}`,
      },
      { title: t.people, isNumber: true, cell: ({ employees }) => format.number(employees) },
      { title: t.grants, isNumber: true, isOptional: true, cell: ({ grantees }) => format.number(grantees) },
      { title: texts.common.actions, isNumber: true, isAction: true, cell: action },
    ],
    values,
    t.none,
  );
}

interface FoundValue {
  readonly attribute: Attribute;
  readonly value: AttributeValue;
}

async function findValue(visit: AccountVisit): Promise<FoundValue> {
  const attribute = await findAttribute(visit);
  const option_id = integerIn(new URLSearchParams({ id: visit.params['option'] ?? '' }), 'id') ?? 0;
  const request = { attribute: attribute.name, search: '', option_id, limit: 1, offset: 0 };
  const [value] = (await visit.admin.listAttributeValues(request)).values;
  if (value === undefined) throw notFoundPage();
  return { attribute, value };
}

/** The form for the new name; the confirmation follows. */
export async function getValue(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { values: t } = texts;
  const { attribute, value } = await findValue(visit);
  const path = valuesPath(visit, attribute);
  const title = t.changeTitle(value.name);
  const fields = html`${shownField(visit, { name: [value.name] })}${textField('name', { label: texts.topics.newName, hint: t.newNameHint, maxLength: MAX_NAME, value: typed.get('name') ?? value.name, error: errors['name'] })}
  ${choiceField('old', {
    type: 'radio',
    label: t.oldName(value.name),
    values: [typed.get('old') ?? 'mapped'],
    choices: [
      { value: 'mapped', text: t.mapped },
      { value: 'anew', text: t.anew },
    ],
  })}
  ${foot(t.preview, { cancel: { path, text: texts.common.cancel } })}`;
  const crumb = { path, text: t.title(attribute.name) };
  return formPage(visit, title, { section: 'attributes', crumb, errors }, form(visit, `${path}/${value.option_id}`, fields));
}

/** Shows what the change would do, and makes it once it is confirmed. */
export async function postValue(visit: AccountVisit): Promise<Reply> {
  const { form: typed } = visit;
  const { attribute, value } = await findValue(visit);
  const change = {
    attribute: attribute.name,
    value: value.name,
    new_name: (typed.get('name') ?? '').trim(),
    maps_old_name: typed.get('old') !== 'anew',
  };
  const { conflicting } = changedFields(visit, { name: [value.name] }, { name: [change.new_name] });
  if (conflicting.has('name')) return getValue(visit, { name: visit.texts.topics.changedTo(value.name) });
  try {
    const merges = typed.get('merges');
    if (merges === null)
      return confirmation(visit, attribute, await visit.admin.changeAttributeValue({ ...change, preview: true }));
    if (merges === 'yes') {
      if (!(await isTyped(visit, value.name))) {
        const planned = await visit.admin.changeAttributeValue({ ...change, preview: true });
        return confirmation(visit, attribute, planned, visit.texts.form.notTyped(value.name));
      }
      const again = await stepUpNeeded(visit, `${valuesPath(visit, attribute)}/${value.option_id}`);
      if (again !== undefined) return again;
    }
    await visit.admin.changeAttributeValue({ ...change, merges: merges === 'yes', preview: false });
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    return getValue(visit, { name: rejection(visit, error, { invalid: visit.texts.values.nameError }) });
  }
  return { redirect: `${valuesPath(visit, attribute)}?done=valueChanging` };
}

function confirmation(visit: AccountVisit, attribute: Attribute, { value, into }: AttributeValueChange, error?: string): Reply {
  const { texts, format, form: typed } = visit;
  const { values: t } = texts;
  if (value == null) throw notFoundPage();
  const name = (typed.get('name') ?? '').trim();
  const path = valuesPath(visit, attribute);
  const isMerge = into != null;
  const title = isMerge ? t.mergeTitle(value.name, name) : t.renameTitle(value.name, name);
  const [employees, grantees] = [format.number(value.employees), format.number(value.grantees)];
  const points = isMerge
    ? [
        t.mergePeople(employees, format.number(into.employees)),
        ...(value.grantees + into.grantees > 0 ? [t.mergeGrants(grantees, format.number(into.grantees))] : []),
        t.mergeAnswers,
      ]
    : [t.renamePeople(employees)];
  const list = html`<ul>
    ${[...points, typed.get('old') === 'anew' ? t.anewPoint(value.name) : t.mappedPoint(value.name)].map((point) => html`<li>${point}</li>`)}
  </ul>`;
  const fields = html`${shownField(visit, { name: [value.name] })}<input type="hidden" name="name" value="${name}" /><input
      type="hidden"
      name="old"
      value="${typed.get('old') ?? 'mapped'}"
    /><input type="hidden" name="merges" value="${isMerge ? 'yes' : 'no'}" />
    <div class="pad">${isMerge ? note('warn', t.cannotUndo, list) : list}</div>
    ${isMerge ? textField('confirm', { label: texts.form.type(value.name), error }) : none}
    ${foot(isMerge ? texts.topics.merge : texts.topics.rename, { danger: isMerge, cancel: { path, text: texts.common.cancel } })}`;
  const options = { section: 'attributes', crumb: { path, text: t.title(attribute.name) }, errors: { confirm: error } };
  return formPage(visit, title, options, form(visit, `${path}/${value.option_id}`, fields));
}
