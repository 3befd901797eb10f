import type { Attribute, AttributeValueChange } from '@survey/proto/admin/v1/admin.ts';
import { ACCOUNT, parsePositive } from '../arguments.ts';
import { command, example, flag, group, type Output, required, withDefault } from '../command.ts';
import { renderFields, renderTable, renderTime } from '../output.ts';

const NAME = required('--name <name>', 'name of the attribute; case and surrounding white space are ignored');

const list = command('list', {
  about: 'list all attributes of an account, released or not',
  help: example('attribute list --account 1'),
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => {
    const { attributes } = await admin.listAttributes(account);
    const rows = attributes.map((one) => [String(one.attribute_id), one.name, renderTime(one.released_at)]);
    const json = { attributes: attributes.map(attributeJson) };
    return { json, text: () => renderTable(['ATTRIBUTE', 'NAME', 'RELEASED'], rows) };
  },
});

const release = command('release', {
  about: 'release an attribute and its options for API use, effective immediately',
  help: example('attribute release --account 1 --name Country', 'Releasing an attribute again has no effect.'),
  inputs: { account_id: ACCOUNT, name: NAME },
  run: async (admin, attribute) => outputOf(await admin.releaseAttribute(attribute)),
});

const withdraw = command('withdraw', {
  about: 'withdraw an attribute from API use, effective immediately',
  help: example('attribute withdraw --account 1 --name Country', 'Withdrawing an attribute again has no effect.'),
  inputs: { account_id: ACCOUNT, name: NAME },
  run: async (admin, attribute) => outputOf(await admin.withdrawAttribute(attribute)),
});

const values = command('values', {
  about: 'list the values of an attribute, with the number of employees who have each and who have access to it',
  help: example('attribute values --account 1 --name Country --search de'),
  inputs: {
    account_id: ACCOUNT,
    attribute: NAME,
    search: withDefault('--search <text>', 'only values that contain the text', ''),
    limit: withDefault('--limit <number>', 'at most 200', 50, parsePositive),
  },
  run: async (admin, request) => {
    const { values, total_count } = await admin.listAttributeValues({ ...request, offset: 0 });
    const rows = values.map((value) => [
      String(value.option_id),
      value.name,
      String(value.employees),
      String(value.grantees),
      value.other_names.join(', ') || '-',
      value.new_name ?? '-',
    ]);
    const head = ['OPTION', 'NAME', 'EMPLOYEES', 'WITH ACCESS', 'ALSO SENT AS', 'BECOMING'];
    return { json: { total_count, values }, text: () => renderTable(head, rows) };
  },
});

const CHANGE_VALUE_HELP = `
Employees, grants and the answers given so far follow. If imports send the old name again, they mean the new one, unless
--no-keep-old-name is given: then the next import creates the old value again for the employees whose records have it.
Merging cannot be undone. The change is made in the background, when no import is being applied.

Examples:
  $ npx surveyctl attribute change-value --account 1 --name Department --value SALES --to Sales --merge --dry-run
  $ npx surveyctl attribute change-value --account 1 --name Department --value Eng --to Engineering`;

const changeValue = command('change-value', {
  about: 'rename a value of an attribute, or merge it into another one',
  help: CHANGE_VALUE_HELP,
  inputs: {
    account_id: ACCOUNT,
    attribute: NAME,
    value: required('--value <value>', 'the value, exactly as it is listed'),
    new_name: required('--to <value>', 'its new name'),
    merges: flag('--merge', 'the attribute has a value with the new name: merge the two'),
    maps_old_name: flag('--no-keep-old-name', 'let imports that send the old name create it again'),
    preview: flag('--dry-run', 'only count the employees that this concerns'),
  },
  run: async (admin, request) => {
    const change = await admin.changeAttributeValue(request);
    return { json: change, text: () => renderChange(change, request.preview) };
  },
});

export const attribute = group(
  'attribute',
  'manage which attributes of employees are released for API use (initially none), and their values',
  [list, release, withdraw, values, changeValue],
);

function renderChange({ merges, value, into }: AttributeValueChange, isPreview: boolean): string {
  return renderFields({
    state: isPreview ? 'dry run' : 'requested',
    change: merges ? 'merge' : 'rename',
    employees: String(value?.employees ?? 0),
    'with access': String(value?.grantees ?? 0),
    ...(into != null && {
      'employees of the other value': String(into.employees),
      'with access to the other value': String(into.grantees),
    }),
  });
}

const outputOf = (attribute: Attribute): Output => ({
  json: attributeJson(attribute),
  text: () =>
    renderFields({
      attribute: String(attribute.attribute_id),
      name: attribute.name,
      released: renderTime(attribute.released_at),
    }),
});

function attributeJson({ attribute_id, name, released_at }: Attribute): object {
  return { attribute_id, name, released: typeof released_at === 'string', released_at: released_at ?? null };
}
