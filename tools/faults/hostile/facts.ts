import * as fc from 'fast-check';
import type { Employee, EmployeeEdit, EmployeeReference, Fact } from '@survey/proto/intake/v1/intake.ts';
import type { FactKind } from '@survey/bus/streams.ts';
import { assignment, cycle, initiative, question, response, survey, uuidOf } from '../../../test/support/facts.ts';
import type { Shape, Target } from './shape.ts';

// The employee of `prepareSurvey`.
const BY = { employee: { import_id: 'P1' } };

const STARS = [1, 2, 3, 4, 5].map((value) => {
  return { id: value, name: { en: String(value) }, value, is_maximum: value === 5, is_minimum: value === 1 };
});

const many = (size: number, make: (nth: number) => Fact): Fact[] => Array.from({ length: size }, (_, nth) => make(nth));
const words = (size: number): string => 'x'.repeat(Math.min(size, 400_000));

const SENT: Readonly<Record<string, readonly [FactKind, (size: number) => Fact[]]>> = {
  surveys: ['survey', (size) => many(size, (nth) => survey(nth + 10))],
  'revisions of one survey': ['survey', (size) => many(size, (nth) => survey(10, {}, nth))],
  'revisions in reverse': ['survey', (size) => many(size, (nth) => survey(10, {}, size - nth))],
  'languages of a name': [
    'survey',
    (size) => [survey(10, { name: Object.fromEntries(many(size, survey).map((_, nth) => [`l${nth}`, 'x'])) })],
  ],
  'properties of a survey': [
    'survey',
    (size) => [
      survey(10, {
        survey_properties: Array.from({ length: size }, (_, id) => ({ id, name: 'p', survey_property_options: [] })),
      }),
    ],
  ],
  'people with access to a survey': [
    'survey',
    (size) => [survey(10, { employees_with_access_to_results: Array.from({ length: size }, (_, id) => ({ id })) })],
  ],
  'questions of a survey': ['question', (size) => many(size, (nth) => question(nth + 100))],
  'options of a question': [
    'question',
    (size) => [
      question(100, {
        type: 'stars',
        answer_options: Array.from({ length: size }, (_, id) => {
          return { id, name: { en: 'o' }, value: id, is_maximum: id === 0, is_minimum: id === size - 1 };
        }),
      }),
    ],
  ],
  'a long name of a question': ['question', (size) => [question(100, { name: { en: words(size) } })]],
  'cycles of a survey': ['cycle', (size) => many(size, (nth) => cycle(uuidOf(nth + 10)))],
  'cycles of surveys that do not exist': [
    'cycle',
    (size) => many(size, (nth) => cycle(uuidOf(nth + 10), { survey_id: nth + 50 })),
  ],
  assignments: ['assignment', (size) => many(size, (nth) => assignment(nth + 1, BY))],
  'assignments of people who do not exist': [
    'assignment',
    (size) => many(size, (nth) => assignment(nth + 1, { employee: { id: nth + 1_000 } })),
  ],
  initiatives: ['initiative', (size) => many(size, (nth) => initiative(uuidOf(nth)))],
  'questions of an initiative': [
    'initiative',
    (size) => [initiative(uuidOf(1), { question_ids: Array.from({ length: size }, (_, id) => id) })],
  ],
  'responses of one person': ['response', (size) => many(size, (nth) => response(uuidOf(nth), BY))],
  'responses of people who do not exist': [
    'response',
    (size) => many(size, (nth) => response(uuidOf(nth), { employee: { import_id: `nobody${nth}` } })),
  ],
  'responses each in its own cycle': [
    'response',
    (size) => many(size, (nth) => response(uuidOf(nth), { ...BY, cycle_id: uuidOf(nth) })),
  ],
  'answers of a response': [
    'response',
    (size) => [
      response(uuidOf(1), {
        ...BY,
        answers: Array.from({ length: size }, (_, nth) => ({ question_id: nth, option_ids: [1] })),
      }),
    ],
  ],
  'options of an answer': [
    'response',
    (size) => [
      response(uuidOf(1), { ...BY, answers: [{ question_id: 11, option_ids: Array.from({ length: size }, (_, id) => id) }] }),
    ],
  ],
  'facts that are wrong': ['survey', (size) => many(size, (nth) => survey(nth, { created_at: 'x'.repeat(1_000) }))],
};

const employee = (id: number, more: Partial<Employee> = {}, revision = 0): Fact => ({
  revision,
  line: id,
  employee: { id, email: `f${id}@x.io`, is_deleted: false, created_via: 'file', attributes: [], ...more },
});
const edit = (of: EmployeeReference, more: Partial<EmployeeEdit>, revision = 0): Fact => ({
  revision,
  line: revision,
  employee_edit: { employee: of, attributes: [], cleared: [], ...more },
});
const staff = (size: number): Fact[] => many(size, (nth) => employee(nth + 1));
// Everybody gets the address of another one, by a newer fact.
const moved = (size: number, to: (nth: number) => number | string): Fact[] =>
  many(size, (nth) => employee(nth + 1, { email: typeof to(nth) === 'number' ? `f${to(nth)}@x.io` : String(to(nth)) }, 1));
const led = (size: number, by: (nth: number) => EmployeeReference): Fact[] =>
  many(size, (nth) => employee(nth + 1, { supervisor: by(nth) }));

/** Facts about employees: what creates them, contradicts, comes late or names others. */
export const EMPLOYEES: Readonly<Record<string, (size: number) => Fact[]>> = {
  'new employees': staff,
  'employees with one address': (size) => many(size, (nth) => employee(nth + 1, { email: 'same@x.io' })),
  'addresses that move along a chain to a free one': (size) => [...staff(size), ...moved(size, (nth) => nth + 2)],
  'addresses that move along a chain to a taken one': (size) => [
    ...staff(size),
    ...moved(size, (nth) => (nth === 0 ? 'p1@x.io' : nth)),
  ],
  'addresses that move along a chain, the last one first': (size) => [
    ...staff(size),
    ...moved(size, (nth) => nth + 2).toReversed(),
  ],
  'addresses that change places': (size) => [...staff(size), ...moved(size, (nth) => (nth ^ 1) + 1)],
  'a chain of supervisors': (size) => led(size, (nth) => (nth === 0 ? BY.employee : { id: nth })),
  'a chain of supervisors who come later': (size) => led(size, (nth) => ({ id: nth + 2 })),
  'supervisors who do not exist': (size) => led(size, (nth) => ({ import_id: `nobody${nth}` })),
  'supervisors in one cycle': (size) => led(size, (nth) => ({ id: ((nth + 1) % size) + 1 })),
  'edits of people who come later': (size) => [
    ...many(size, (nth) => edit({ id: nth + 1 }, { lastname: 'Lee' }, 1)),
    ...staff(size),
  ],
  'edits of people who do not exist': (size) => many(size, (nth) => edit({ import_id: `nobody${nth}` }, { lastname: 'Lee' })),
  'edits of one person': (size) => many(size, (nth) => edit(BY.employee, { lastname: `Lee ${nth}` }, nth)),
  'edits of one person, the newest first': (size) => many(size, (nth) => edit(BY.employee, { lastname: 'Lee' }, size - nth)),
  'edits that move one person to taken addresses': (size) => [
    ...staff(size),
    ...many(size, (nth) => edit(BY.employee, { email: `f${nth + 1}@x.io` }, nth)),
  ],
  'values of one person': (size) => [
    edit(BY.employee, { attributes: Array.from({ length: size }, (_, nth) => ({ name: 'a', value: `v${nth}` })) }),
  ],
  'attributes of one person, one at a time': (size) =>
    many(size, (nth) => edit(BY.employee, { attributes: [{ name: `a${nth}`, value: 'v' }] })),
  'whole facts about a person with many edited attributes': (size) => [
    employee(1),
    ...many(size, (nth) => edit({ id: 1 }, { attributes: [{ name: `a${nth}`, value: 'v' }] })),
    ...many(size, (nth) => employee(1, {}, nth + 1)),
  ],
};

/** Facts of one kind, many or large. */
export const factShape: fc.Arbitrary<Shape> = fc.constantFrom(...Object.keys(SENT)).map((what) => ({
  name: `facts: ${what}`,
  sizes: [1_000, 10_000, 100_000],
  prepare: prepareSurvey,
  attack: async (target: Target, size: number) => {
    const [kind, facts] = SENT[what] ?? ['survey', () => []];
    await target.publish(kind, facts(size));
    return 'read';
  },
}));

const UNITS = {
  'one letter': 'a',
  'a name': 'Anna Müller ',
  names: 'Li Wei, José García; Otto Meier\n',
  emoji: '👍🏽',
  markup: '<b>&nbsp;</b>',
  digits: '0171 2345678 / ',
  'digits without a gap': '7',
  'scripts mixed': 'Аnnа山田ひろし한국어עברית',
  'combining marks': 'e\u0301\u0323\u0327',
  'format characters': '\u200b\u202e\u00ad',
  'an address': 'anna.mueller@example.org',
  'a line break': '\n',
  'open brackets': '((((',
  'the keyword of a topic': 'canteen ',
};

/** Facts of employees. */
export const employeeShape: fc.Arbitrary<Shape> = fc.constantFrom(...Object.entries(EMPLOYEES)).map(([what, facts]) => ({
  name: `employee facts: ${what}`,
  sizes: [1_000, 10_000, 100_000],
  prepare: prepareSurvey,
  attack: async (target: Target, size: number) => {
    await target.publish('employee', facts(size));
    return 'read';
  },
}));

/** Answers of one person, long or many. */
export const textShape: fc.Arbitrary<Shape> = fc
  .record({ unit: fc.constantFrom(...Object.values(UNITS)), length: fc.constantFrom(10, 1_000, 100_000) })
  .map(({ unit, length }) => ({
    name: `texts of ${length} characters: ${JSON.stringify(unit)}`,
    sizes: [1_000, 10_000, 100_000],
    prepare: prepareSurvey,
    attack: async (target: Target, size: number) => {
      const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      const count = Math.max(1, Math.floor(size / length));
      const facts = many(count, (nth) =>
        response(uuidOf(nth + 1), { ...BY, answers: [{ question_id: 15, option_ids: [], text }] }),
      );
      await target.publish('response', facts);
      return target.textsProcessed();
    },
  }));

/** Gives an account an employee, and a survey with a question for scores and one for texts. */
export async function prepareSurvey(target: Target): Promise<void> {
  await target.import({
    body: Buffer.from('{"employees":[{"import_id":"P1","email":"p1@x.io","firstname":"Ann","lastname":"Lee"}]}'),
    isGzip: false,
  });
  await target.publish('survey', [survey(1)]);
  await target.publish('question', [question(11, { type: 'stars', answer_options: STARS }), question(15)]);
  await target.publish('cycle', [cycle(uuidOf(1))]);
}

const PERIOD = 'period_from=2000-01-01T00:00:00Z&period_to=2100-01-01T00:00:00Z';
const LISTS = [
  `/v1/scores?${PERIOD}&question_ids=`,
  `/v1/scores?${PERIOD}&question_ids=11&survey_ids=`,
  '/v1/text_responses?survey_ids=',
  '/v1/text_responses?question_ids=',
  '/v1/text_responses?attribute_option_ids=',
  '/v1/employees?offset=',
  '/v1/attributes/',
  '/v1/nothing?x=',
];

/** Queries with lists as long as a URL may be, and longer. */
export const queryShape: fc.Arbitrary<Shape> = fc
  .record({
    path: fc.constantFrom(...LISTS),
    item: fc.constantFrom('1', '9007199254740991', '%00', ',', '-1', 'x', '1&survey_ids=2', '[]', '%F0%9F%91%8D'),
  })
  .map(({ path, item }) => ({
    name: `query: ${path}${item},${item},…`,
    sizes: [10, 100, 1_000, 10_000],
    prepare: prepareSurvey,
    attack: (target: Target, size: number) => target.get(`${path}${Array.from({ length: size }, () => item).join(',')}`),
  }));

// A list, and the facts that make its records as large as a message.
const LARGE = 'x'.repeat(400_000);
const PAGES: Readonly<Record<string, readonly [FactKind, (nth: number) => Fact]>> = {
  '/v1/surveys': ['survey', (nth) => survey(nth + 10, { name: { en: LARGE } })],
  '/v1/questions': ['question', (nth) => question(nth + 100, { name: { en: LARGE } })],
  '/v1/initiatives': ['initiative', (nth) => initiative(uuidOf(nth), { notes: LARGE })],
  '/v1/employees': [
    'employee',
    (nth) => employee(nth + 1, { attributes: Array.from({ length: 20_000 }, (_, value) => ({ name: 'a', value: `v${value}` })) }),
  ],
  '/v1/text_responses': [
    'response',
    (nth) => response(uuidOf(nth), { ...BY, answers: [{ question_id: 15, option_ids: [], text: LARGE.slice(0, 100_000) }] }),
  ],
};

const AT_ONCE = 16;

/** The largest pages of large records, and many that are just small enough. */
export const pageShape: fc.Arbitrary<Shape> = fc.constantFrom(...Object.entries(PAGES)).map(([path, [kind, fact]]) => ({
  name: `page: ${path} with large records`,
  sizes: [10, 100, 1_000],
  prepare: async (target: Target, size: number) => {
    await prepareSurvey(target);
    await target.publish(kind, many(size, fact));
    if (kind === 'response') await target.textsProcessed();
  },
  attack: async (target: Target) => {
    const limits = [1_000, ...Array.from({ length: AT_ONCE }, () => 30)];
    const told = await Promise.all(limits.map((limit) => target.get(`${path}?limit=${limit}`)));
    return [...new Set(told)].toSorted().join();
  },
}));
