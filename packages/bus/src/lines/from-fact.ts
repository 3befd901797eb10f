import type {
  Employee,
  EmployeeEdit,
  EmployeeReference,
  Fact,
  Initiative,
  Survey,
  Topic,
} from '@survey/proto/intake/v1/intake.ts';
import { LINE_SCHEMAS, type Line, type LineKind } from './line.ts';
import { parseLine } from './read-line.ts';
import type { FactReason } from './reasons.ts';

/** The parsed line of a kind; an employee has two shapes. */
export type LineOf<K extends LineKind> = Extract<Line, { kind: K }>;

/**
 * Returns the line of a fact, valid by the schema of its kind: the inverse of toFact. The reason of
 * an invalid fact names the property and the rule, never the value.
 */
export function fromFact<K extends LineKind>(kind: K, fact: Fact): { line: LineOf<K> } | { reason: FactReason } {
  const content = contentOf(kind, fact);
  if (content == null) return { reason: 'other_kind' };
  const edit = fact.employee_edit;
  const contradicted = edit?.cleared.find((field) =>
    Object.entries(edit).some(([name, value]) => name === field && value != null),
  );
  if (contradicted !== undefined) return { reason: `invalid:${contradicted} set_and_cleared` };
  const schema = LINE_SCHEMAS[kind === 'employee' && 'employee' in content ? 'employee_edit' : kind];
  // The schema belongs to the kind, which TypeScript cannot infer.
  return parseLine(schema, { ...content, kind, revision: fact.revision }) as { line: LineOf<K> } | { reason: FactReason };
}

function contentOf(kind: LineKind, fact: Fact): object | null | undefined {
  switch (kind) {
    case 'survey':
      return fact.survey && surveyLine(fact.survey);
    case 'employee':
      return (fact.employee && employeeLine(fact.employee)) ?? (fact.employee_edit && editLine(fact.employee_edit));
    case 'assignment':
      return fact.assignment && { ...fact.assignment, employee: reference(fact.assignment.employee) };
    case 'initiative':
      return fact.initiative && initiativeLine(fact.initiative);
    case 'response':
      return fact.response && { ...fact.response, employee: reference(fact.response.employee) };
    case 'topic':
      return fact.topic && topicLine(fact.topic);
    case 'topic_assignment':
      return fact.topic_assignment && { ...fact.topic_assignment, sentiment: fact.topic_assignment.sentiment ?? null };
    case 'question':
    case 'cycle':
      break;
  }
  return fact[kind];
}

function surveyLine({ employees_with_access_to_results, ...survey }: Survey): object {
  return { ...survey, permissions: { employees_with_access_to_results: employees_with_access_to_results.map(reference) } };
}

function employeeLine(employee: Employee): object {
  return { ...employee, supervisor: reference(employee.supervisor) };
}

// Absent in the message: unchanged. Cleared: null on the line.
function editLine({ cleared, ...edit }: EmployeeEdit): object {
  const changed = Object.entries(edit).filter(([, value]) => value != null);
  const attributes = edit.attributes.map(({ name, value = null }) => ({ name, value }));
  const line = { ...Object.fromEntries(changed), attributes, employee: reference(edit.employee) };
  const supervisor = edit.supervisor == null ? {} : { supervisor: reference(edit.supervisor) };
  return { ...line, ...supervisor, ...Object.fromEntries(cleared.map((field) => [field, null])) };
}

function initiativeLine(initiative: Initiative): object {
  return { ...initiative, assignee: reference(initiative.assignee), creator: reference(initiative.creator) };
}

function topicLine(topic: Topic): object {
  const keywords = Object.entries(topic.keywords).map(([language, { words }]) => [language, words]);
  return { ...topic, keywords: Object.fromEntries(keywords) };
}

function reference(employee: EmployeeReference | null | undefined): object | null {
  if (employee == null) return null;
  const { id, import_id } = employee;
  return { ...(id != null && { id }), ...(import_id != null && { import_id }) };
}
