import type { Attribute } from '@survey/proto/admin/v1/admin.ts';
import { notFoundPage } from '../page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, foot, form, head, listPanel, note, select, table, tag, textField } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { formPage, integerIn } from '../views/form-results.ts';
import { isTyped } from '../sign-in/step-up.ts';

const PAGE = 50;
// Shown before they are released.
const VALUES = 20;

export async function getAttributes(visit: AccountVisit): Promise<Reply> {
  const { texts, format, query } = visit;
  const { attributes: t } = texts;
  const search = (query.get('q') ?? '').trim().toLowerCase();
  const show = query.get('show') ?? '';
  const [{ attributes }, settings] = await Promise.all([visit.admin.listAttributes({}), visit.admin.showSettings({})]);
  const isShown = ({ name, released_at }: Attribute): boolean =>
    name.toLowerCase().includes(search) && (show === '' || (show === 'released') === (released_at != null));
  const filter = settings.text_filter_attribute?.attribute_id;
  const matches = attributes.filter(isShown);
  const from = integerIn(query, 'from') ?? 0;
  const list = matches.slice(from, from + PAGE);
  const next = new URLSearchParams({ q: query.get('q') ?? '', show, from: String(from + PAGE) });
  const choices = [
    { value: '', text: t.all },
    { value: 'released', text: t.released },
    { value: 'not', text: t.notReleased },
  ];
  const body = listPanel(visit, {
    title: t.title,
    field: t.attribute,
    value: query.get('q') ?? '',
    filters: html`<label class="sr" for="show">${texts.common.show}</label>${select('show', show, choices)}`,
    rows: attributeTable(visit, list, { filter, whenEmpty: attributes.length === 0 ? t.none : t.noneFound }),
    foot: texts.common.of(format.number(list.length), format.number(matches.length)),
    next: from + PAGE < matches.length && `?${next.toString()}`,
  });
  return formPage(visit, t.title, { section: 'attributes', lead: t.lead }, body);
}

function attributeTable(
  visit: AccountVisit,
  list: readonly Attribute[],
  { filter, whenEmpty }: { filter: number | undefined; whenEmpty: string },
): Html {
  const { texts, format } = visit;
  const { attributes: t } = texts;
  const action = (each: Attribute) => {
    const isReleased = each.released_at != null;
    const path = at(visit, `/attributes/${each.attribute_id}/${isReleased ? 'withdraw' : 'release'}`);
    return html`<a class="btn link" href="${path}"
      >${isReleased ? t.withdraw : t.release}…<span class="sr"> ${each.name}</span></a
    >`;
  };
  return table<Attribute>(
    t.title,
    [
      {
        title: t.attribute,
        cell: ({ name, attribute_id }) =>
          html`<a href="${at(visit, `/attributes/${attribute_id}/values`)}"><bdi>${name}</bdi></a
            >${attribute_id === filter && html` <span class="muted small">${t.isFilter}</span>`}`,
      },
      { title: t.values, isNumber: true, cell: ({ values }) => format.number(values ?? 0) },
      { title: t.people, isNumber: true, isOptional: true, cell: ({ employees }) => format.number(employees ?? 0) },
      {
        title: t.state,
        cell: ({ released_at }) =>
          released_at == null
            ? tag('off', t.notReleased)
            : html`${tag('on', t.released)}<br /><span class="muted small">${format.day(released_at)}</span>`,
      },
      { title: texts.common.actions, isNumber: true, isAction: true, cell: action },
    ],
    list,
    whenEmpty,
  );
}

/** Returns the attribute that the path names. */
export async function findAttribute(visit: AccountVisit): Promise<Attribute> {
  const { attributes } = await visit.admin.listAttributes({});
  const attribute = attributes.find(({ attribute_id }) => String(attribute_id) === visit.params['attribute']);
  if (attribute === undefined) throw notFoundPage();
  return attribute;
}

// More than half of the values have fewer than five employees: the attribute identifies
// individuals.
const isIdentifying = ({ values, rare_values }: Attribute): boolean => (rare_values ?? 0) * 2 > (values ?? 0);

export async function getRelease(visit: AccountVisit, error?: string): Promise<Reply> {
  const { texts, format } = visit;
  const { attributes: t } = texts;
  const attribute = await findAttribute(visit);
  const isRisky = isIdentifying(attribute);
  const { values } = await visit.admin.listAttributeValues({ attribute: attribute.name, search: '', limit: VALUES, offset: 0 });
  const title = t.releaseTitle(attribute.name);
  const figures = t.risk(
    format.number(attribute.values ?? 0),
    format.number(attribute.employees ?? 0),
    format.number(attribute.rare_values ?? 0),
  );
  const fields = html`<div class="pad">
      <p>${t.releaseText}</p>
      <p>
        <b>${t.values}:</b> ${values.map(({ name }, index) => html`${index > 0 && ', '}<bdi>${name}</bdi>`)}
        <a href="${at(visit, `/attributes/${attribute.attribute_id}/values`)}"
          >${texts.common.of(format.number(values.length), format.number(attribute.values ?? 0))}</a
        >
      </p>
      ${isRisky ? note('warn', t.riskTitle, html`<p>${figures}</p>`) : none}
    </div>
    ${isRisky ? textField('confirm', { label: texts.form.type(attribute.name), error }) : none}
    ${foot(t.release, { danger: isRisky, cancel: { path: at(visit, '/attributes'), text: texts.common.cancel } })}`;
  const options = { section: 'attributes', crumb: { path: at(visit, '/attributes'), text: t.title }, errors: { confirm: error } };
  return formPage(visit, title, options, form(visit, at(visit, `/attributes/${attribute.attribute_id}/release`), fields));
}

export async function postRelease(visit: AccountVisit): Promise<Reply> {
  const attribute = await findAttribute(visit);
  if (isIdentifying(attribute) && !(await isTyped(visit, attribute.name)))
    return getRelease(visit, visit.texts.form.notTyped(attribute.name));
  await visit.admin.releaseAttribute({ name: attribute.name });
  return { redirect: at(visit, '/attributes?done=released') };
}

export async function getWithdraw(visit: AccountVisit): Promise<Reply> {
  const { texts } = visit;
  const { attributes: t } = texts;
  const attribute = await findAttribute(visit);
  const settings = await visit.admin.showSettings({});
  const isFilter = settings.text_filter_attribute?.attribute_id === attribute.attribute_id;
  const title = t.withdrawTitle(attribute.name);
  const fields = html`<div class="pad"><p>${t.withdrawText}${isFilter && html` ${t.withdrawFilter}`}</p></div>
    ${foot(t.withdraw, { cancel: { path: at(visit, '/attributes'), text: texts.common.cancel } })}`;
  const body = html`${head(title, { crumb: { path: at(visit, '/attributes'), text: t.title } })}${form(visit, at(visit, `/attributes/${attribute.attribute_id}/withdraw`), fields)}`;
  return { page: { title, section: 'attributes', body } };
}

export async function postWithdraw(visit: AccountVisit): Promise<Reply> {
  const attribute = await findAttribute(visit);
  await visit.admin.withdrawAttribute({ name: attribute.name });
  return { redirect: at(visit, '/attributes?done=withdrawn') };
}
