import type { z } from 'zod';

const NAME: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  guid: 'a UUID',
};

/**
 * Describes a fault in words that follow a property name, as in `survey_id is missing`. Never
 * repeats a value.
 */
export const wording: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${NAME[issue.expected] ?? issue.expected}`;
    case 'invalid_format':
      return `must be ${NAME[issue.format] ?? issue.format}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'unrecognized_keys':
      return `has a property that is not known: ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return 'has a key that is not an ISO 639-1 code';
    case 'too_small':
      return `must be ${issue.inclusive === true ? 'at least' : 'above'} ${issue.minimum}`;
    case 'too_big':
      return `must ${issue.origin === 'string' ? 'have' : 'be'} ${issue.inclusive === true ? 'at most' : 'below'} ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`;
    // Uses the schema's words, else zod's.
    case 'custom':
    case 'invalid_union':
    case 'invalid_element':
    case 'not_multiple_of':
      break;
  }
  return undefined;
};
